//! Knows every session and every connected page. Sessions are tasks of their own; the hub opens them when somebody
//! asks, and tells every page when the list changes. It never waits for a page and holds its lock for moments only.

mod agents;
pub mod directories;
mod listing;
mod making;
mod records;
mod tasks;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use pilothouse_core::SessionState;
use pilothouse_core::limits::{PROTOCOL_VERSION, READ_AHEAD_SESSIONS};
use pilothouse_core::protocol::{SearchResults, ServerFrame, SessionSummary, Welcome};
use tokio::sync::{Notify, mpsc};

use crate::agent::catalogue::Agent;
use crate::agent::discovery::Found;
use crate::agent::orphans;
use crate::client::{Client, encode};
use crate::config::Config;
use crate::history::files::SessionFiles;
use crate::history::read_ahead::ReadAhead;
use crate::history::{HistoryFile, ScannedFile};
use crate::http::blobs::Blobs;
use crate::search::Search;
use crate::session::Input;
use crate::store::{SessionRecord, Store};

#[derive(Debug)]
pub struct Hub {
    agents: Vec<Arc<Agent>>,
    default_cwd: PathBuf,
    installation: String,
    store: Store,
    /// Where deleted sessions go.
    trash: PathBuf,
    /// How long an agent's process may rest before it is ended; none for ever.
    idle: Option<Duration>,
    state: Mutex<HubState>,
    /// Apart from the state: reading files takes its time.
    files: Mutex<HashMap<String, SessionFiles>>,
    /// Whether the system tells of every change of a file.
    watched: OnceLock<Arc<AtomicBool>>,
    search: Search,
    ahead: ReadAhead,
    next_page: AtomicU64,
    /// Agents that are being looked at.
    looking: Mutex<HashSet<String>>,
    looked: Notify,
}

#[derive(Debug, Default)]
struct HubState {
    sessions: HashMap<String, Entry>,
    /// What is kept of sessions that have not been seen yet.
    records: HashMap<String, SessionRecord>,
    pages: Vec<Client>,
    /// In which something was left undone, as long as they do not tell themselves.
    unfinished: HashSet<String>,
    /// What was found out about the agents, by name.
    found: HashMap<String, Found>,
    /// The server ends: nothing is opened any more.
    closing: bool,
}

#[derive(Debug)]
struct Entry {
    summary: SessionSummary,
    record: SessionRecord,
    agent: Arc<Agent>,
    file: Option<PathBuf>,
    blobs: Blobs,
    inputs: Option<mpsc::Sender<Input>>,
    /// It is on its way to the trash: nothing is opened any more.
    deleting: bool,
}

impl Entry {
    fn new(summary: SessionSummary, record: SessionRecord, agent: Arc<Agent>, file: Option<PathBuf>) -> Self {
        Self { summary, record, agent, file, blobs: Blobs::default(), inputs: None, deleting: false }
    }

    fn is_open(&self) -> bool {
        self.inputs.as_ref().is_some_and(|inputs| !inputs.is_closed())
    }

    /// Its file was there and is not listed any more. One that is at work writes it again; one that is merely
    /// watched is gone when its file is.
    fn is_gone(&self) -> bool {
        let kept = |file: &PathBuf| self.is_open() && (self.summary.state.is_active() || file.exists());
        self.file.as_ref().is_some_and(|file| !kept(file))
    }
}

impl Hub {
    pub fn new(config: Config, store: Store, search: Search) -> Arc<Self> {
        let hub = Arc::new(Self {
            installation: orphans::installation(&config.data_dir),
            trash: config.data_dir.join("trash"),
            agents: config.agents.into_iter().map(Arc::new).collect(),
            default_cwd: config.cwd,
            idle: config.idle,
            store,
            state: Mutex::default(),
            files: Mutex::default(),
            search,
            ahead: ReadAhead::default(),
            watched: OnceLock::new(),
            next_page: AtomicU64::new(1),
            looking: Mutex::default(),
            looked: Notify::new(),
        });
        hub.take_up_records();
        hub
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    pub const fn idle(&self) -> Option<Duration> {
        self.idle
    }

    pub fn default_cwd(&self) -> &PathBuf {
        &self.default_cwd
    }

    pub fn next_page_id(&self) -> u64 {
        self.next_page.fetch_add(1, Ordering::Relaxed)
    }

    /// From now on the page hears of changes of the list; it starts with the list as it is.
    pub fn add_page(&self, page: Client) {
        let mut state = self.state();
        let welcome = Welcome {
            version: PROTOCOL_VERSION,
            server_version: env!("CARGO_PKG_VERSION").to_owned(),
            agents: self.agent_infos(&state),
            default_cwd: self.default_cwd.to_string_lossy().into_owned(),
            sessions: newest_first(&state),
        };
        if page.send_frame(&ServerFrame::Welcome(welcome)) {
            state.pages.retain(|link| link.id() != page.id());
            state.pages.push(page);
        }
    }

    /// Somebody is there who may want to look at a session next.
    pub fn read_ahead(self: &Arc<Self>) {
        let files: Vec<PathBuf> = {
            let state = self.state();
            let mut entries: Vec<&Entry> = state.sessions.values().collect();
            entries.sort_by_key(|entry| std::cmp::Reverse(entry.summary.modified));
            let newest = entries.into_iter().take(READ_AHEAD_SESSIONS).filter(|entry| !entry.is_open());
            newest.filter_map(|entry| entry.file.clone()).collect()
        };
        let hub = self.clone();
        tokio::task::spawn_blocking(move || hub.ahead.read(&files));
    }

    /// The conversation in a file, read before or now.
    pub fn scan(&self, file: &Path) -> Option<ScannedFile> {
        self.ahead.take(file).or_else(|| HistoryFile::scan(file))
    }

    /// The page is gone: nobody sends it anything any more.
    pub async fn remove_page(&self, page: u64) {
        let open: Vec<mpsc::Sender<Input>> = {
            let mut state = self.state();
            state.pages.retain(|link| link.id() != page);
            state.sessions.values().filter_map(|entry| entry.inputs.clone()).collect()
        };
        for inputs in open {
            let _ = inputs.send(Input::Unsubscribe { page }).await;
        }
    }

    pub fn sessions(&self) -> Vec<SessionSummary> {
        newest_first(&self.state())
    }

    /// Words in all sessions that are listed. Reads the disk.
    pub fn search(&self, query: &str) -> SearchResults {
        let mut results = self.search.find(query);
        let state = self.state();
        results.hits.retain(|hit| state.sessions.contains_key(&hit.session_id));
        results
    }

    /// A session tells what its row in the sidebars shows now.
    pub fn session_changed(&self, summary: SessionSummary) {
        let mut state = self.state();
        state.unfinished.remove(&summary.id);
        if let Some(entry) = state.sessions.get_mut(&summary.id) {
            entry.summary = summary;
            let changed = vec![entry.shown()];
            broadcast(&mut state, &ServerFrame::SessionsChanged { changed, removed: Vec::new() });
        }
    }

    /// A session was read from disk again: the sidebars show the state it is in now. Nothing has happened in it, so
    /// that it is neither newer nor unread by this.
    pub fn session_opened(&self, id: &str, now: SessionState) {
        let mut state = self.state();
        if let Some(entry) = state.sessions.get_mut(id).filter(|entry| entry.summary.state != now) {
            entry.summary.state = now;
            entry.summary.reason.clear();
            let changed = vec![entry.shown()];
            broadcast(&mut state, &ServerFrame::SessionsChanged { changed, removed: Vec::new() });
        }
    }

    pub fn blobs(&self, session: &str) -> Option<Blobs> {
        self.state().sessions.get(session).map(|entry| entry.blobs.clone())
    }

    fn state(&self) -> MutexGuard<'_, HubState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn newest_first(state: &HubState) -> Vec<SessionSummary> {
    let mut sessions: Vec<SessionSummary> = state.sessions.values().map(Entry::shown).collect();
    sessions.sort_by(|left, right| right.modified.cmp(&left.modified).then_with(|| left.id.cmp(&right.id)));
    sessions
}

fn broadcast(state: &mut HubState, frame: &ServerFrame) {
    if let Some(frame) = encode(frame) {
        state.pages.retain(|page| page.send(frame.clone()));
    }
}
