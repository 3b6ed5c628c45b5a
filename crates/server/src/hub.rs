//! Knows every session and every connected page. Sessions are tasks of their own; the hub opens them when somebody
//! asks, and tells every page when the list changes. It never waits for a page and holds its lock for moments only.

mod agents;
mod listing;
mod records;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use pilothouse_core::SessionState;
use pilothouse_core::limits::{PROTOCOL_VERSION, SHUTDOWN_SECONDS, UNUSED_SESSION_DAYS};
use pilothouse_core::wire::{SearchResults, ServerFrame, SessionSummary, Welcome};
use tokio::sync::{Notify, mpsc, oneshot};

use crate::agent::Agent;
use crate::blobs::Blobs;
use crate::config::Config;
use crate::discovery::Found;
use crate::leftovers;
use crate::page_link::{PageLink, encode};
use crate::pi_sessions::files::SessionFiles;
use crate::pi_sessions::{milliseconds, now};
use crate::search::Search;
use crate::session::{self, Input, Origin};
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
    pages: Vec<PageLink>,
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
            installation: leftovers::installation(&config.data_dir),
            trash: config.data_dir.join("trash"),
            agents: config.agents.into_iter().map(Arc::new).collect(),
            default_cwd: config.cwd,
            idle: config.idle,
            store,
            state: Mutex::default(),
            files: Mutex::default(),
            search,
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
    pub fn add_page(&self, page: PageLink) {
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

    /// A new session: known at once, its agent is started by the first prompt.
    pub fn new_session(&self, agent: &str, cwd: PathBuf) -> Result<String, String> {
        let id = uuid::Uuid::now_v7().to_string();
        self.add_session(&id, agent, cwd)?;
        Ok(id)
    }

    /// A session that has no file yet, or whose file has not been seen.
    pub fn add_session(&self, id: &str, agent: &str, cwd: PathBuf) -> Result<(), String> {
        let agent = self
            .agents
            .iter()
            .find(|known| known.name == agent)
            .ok_or_else(|| format!("There is no agent '{agent}'."))?;
        if !cwd.is_dir() {
            return Err(format!("The folder {} does not exist.", cwd.display()));
        }
        if self.state().sessions.contains_key(id) {
            return Ok(());
        }
        let summary = SessionSummary {
            id: id.to_owned(),
            agent: agent.name.clone(),
            cwd: cwd.to_string_lossy().into_owned(),
            title: String::new(),
            state: SessionState::Idle,
            modified: milliseconds(std::time::SystemTime::now()),
            ..SessionSummary::default()
        };
        let record = SessionRecord {
            id: id.to_owned(),
            agent: agent.name.clone(),
            cwd: summary.cwd.clone(),
            created: summary.modified,
            ..SessionRecord::default()
        };
        self.store
            .add_session(&record)
            .map_err(|error| format!("It could not be written to disk: {error:#}"))?;
        self.insert(Entry::new(summary, record, agent.clone(), None));
        Ok(())
    }

    fn insert(&self, entry: Entry) {
        let mut state = self.state();
        let shown = entry.shown();
        state.sessions.insert(shown.id.clone(), entry);
        broadcast(&mut state, &ServerFrame::SessionsChanged { changed: vec![shown], removed: Vec::new() });
    }

    /// Sessions in which something was left undone have a row, even if the agent has no file for them yet.
    fn take_up_records(&self) {
        let unfinished: HashSet<String> = self.store.open_sessions().into_iter().collect();
        let oldest = now().saturating_sub(UNUSED_SESSION_DAYS * 24 * 60 * 60 * 1_000);
        let mut state = self.state();
        for record in self.store.sessions() {
            let agent = self.agents.iter().find(|agent| agent.name == record.agent);
            let undone = unfinished.contains(&record.id) || !record.draft.trim().is_empty();
            // One that was made and has no file yet is still there; one whose file was seen is there as long as that is.
            let wanted = undone || record.created > oldest;
            match agent {
                Some(agent) if wanted => {
                    let summary = SessionSummary {
                        id: record.id.clone(),
                        agent: record.agent.clone(),
                        cwd: record.cwd.clone(),
                        state: if unfinished.contains(&record.id) {
                            SessionState::Paused
                        } else {
                            SessionState::Idle
                        },
                        modified: record.created,
                        ..SessionSummary::default()
                    };
                    let entry = Entry::new(summary, record, agent.clone(), None);
                    state.sessions.insert(entry.record.id.clone(), entry);
                }
                _ => drop(state.records.insert(record.id.clone(), record)),
            }
        }
        state.unfinished = unfinished;
    }

    /// Hands an input to a session, which is opened for it if need be. Gives it back if there is no such session.
    pub async fn send(self: &Arc<Self>, id: &str, input: Input) -> Result<(), Input> {
        let mut input = input;
        loop {
            let Some(inputs) = self.open(id).await else { return Err(input) };
            match inputs.send(input).await {
                Ok(()) => return Ok(()),
                // The task has just ended for want of use: its successor takes it.
                Err(mpsc::error::SendError(returned)) => {
                    input = returned;
                    self.forget_task(id, &inputs);
                }
            }
        }
    }

    async fn open(self: &Arc<Self>, id: &str) -> Option<mpsc::Sender<Input>> {
        let needs_file = {
            let state = self.state();
            let entry = state.sessions.get(id)?;
            if let Some(inputs) = entry.inputs.as_ref().filter(|inputs| !inputs.is_closed()) {
                return Some(inputs.clone());
            }
            if state.closing || entry.deleting {
                return None;
            }
            entry.file.is_none()
        };
        if needs_file {
            // It may have written its first file since the list was read.
            self.refresh().await;
        }
        let mut state = self.state();
        if state.closing {
            return None;
        }
        let entry = state.sessions.get_mut(id).filter(|entry| !entry.deleting)?;
        let inputs = entry.inputs.get_or_insert_with(|| {
            let origin = Origin {
                id: id.to_owned(),
                agent: entry.agent.clone(),
                cwd: PathBuf::from(&entry.summary.cwd),
                file: entry.file.clone(),
                blobs: entry.blobs.clone(),
                mark: leftovers::mark(&self.installation, id),
            };
            session::start(origin, self.clone())
        });
        Some(inputs.clone())
    }

    fn forget_task(&self, id: &str, ended: &mpsc::Sender<Input>) {
        let mut state = self.state();
        if let Some(entry) = state.sessions.get_mut(id)
            && entry.inputs.as_ref().is_some_and(|inputs| inputs.same_channel(ended))
        {
            entry.inputs = None;
        }
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

    pub fn blobs(&self, session: &str) -> Option<Blobs> {
        self.state().sessions.get(session).map(|entry| entry.blobs.clone())
    }

    /// Ends every agent and waits for it.
    pub async fn shut_down(&self) {
        let open: Vec<mpsc::Sender<Input>> = {
            let mut state = self.state();
            state.closing = true;
            state.sessions.values().filter_map(|entry| entry.inputs.clone()).collect()
        };
        let ending = async {
            let mut ending = Vec::new();
            for inputs in open {
                let (done, ended) = oneshot::channel();
                if inputs.send(Input::Shutdown { done }).await.is_ok() {
                    ending.push(ended);
                }
            }
            for ended in ending {
                let _ = ended.await;
            }
        };
        if tokio::time::timeout(Duration::from_secs(SHUTDOWN_SECONDS), ending).await.is_err() {
            tracing::warn!("some agents did not end in time");
        }
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
