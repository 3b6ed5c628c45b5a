//! Knows every session and every connected client. Sessions are tasks of their own; the hub opens them on demand, and
//! broadcasts changes of the list. It never waits for a client, and never holds its lock while it waits for anything.

mod agents;
mod creation;
pub mod directories;
pub mod elsewhere;
mod listing;
pub mod records;
mod storage;
mod tasks;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use pilothouse_agents::history::facts::LastTurn;
use pilothouse_core::SessionState;
use pilothouse_core::limits::{DISCOVERED_AT_ONCE, PROTOCOL_VERSION, READ_AHEAD_SESSIONS};
use pilothouse_core::protocol::{Capabilities, SearchResults, ServerFrame, SessionSummary, Welcome};
use tokio::sync::{Notify, Semaphore, mpsc};

use crate::agent::catalogue::Agent;
use crate::agent::discovery::Discovered;
use crate::agent::orphans;
use crate::allowed_roots::AllowedRoots;
use crate::audit::AuditLog;
use crate::client::{Client, ClientId, encode};
use crate::config::Config;
use crate::history::files::SessionFiles;
use crate::history::read_ahead::ReadAhead;
use crate::history::{HistoryFile, ScannedFile};
use crate::http::blobs::Blobs;
use crate::search::Search;
use crate::session::Input;
use crate::store::{SessionRecord, Store};

pub use agents::custom_agents;

/// The server's sessions, clients and agents.
#[derive(Debug)]
pub struct Hub {
    /// The agents that are offered. They may change while the server runs.
    agents: RwLock<Vec<Arc<Agent>>>,
    data_folder: PathBuf,
    default_cwd: PathBuf,
    allowed_roots: AllowedRoots,
    installation: String,
    store: Store,
    audit_log: AuditLog,
    /// The folder for files of deleted sessions.
    trash: PathBuf,
    /// How long an agent's process may be idle before it is ended; `None` means never.
    idle: Option<Duration>,
    state: Mutex<HubState>,
    /// Separate from the state: reading files takes time.
    files: Mutex<HashMap<String, SessionFiles>>,
    /// Whether the system reports every change of a session file.
    watched: OnceLock<Arc<AtomicBool>>,
    search: Search,
    read_ahead: ReadAhead,
    next_client: AtomicU64,
    /// The agents that are being discovered.
    discovering: Mutex<HashSet<String>>,
    discovered: Notify,
    /// Limits how many agents are started for their discovery at the same time.
    discovery_slots: Semaphore,
    /// Held while the agents that the user added are stored.
    custom_agents: tokio::sync::Mutex<()>,
    /// Held while a session of an agent is looked for and listed, so that it is imported once.
    imports: tokio::sync::Mutex<()>,
    /// The folders whose files are watched.
    watched_folders: Mutex<HashSet<PathBuf>>,
    /// The running programs that may have sessions open.
    programs: Mutex<elsewhere::Scan>,
}

#[derive(Debug, Default)]
struct HubState {
    sessions: HashMap<String, SessionEntry>,
    /// Records of sessions whose files were not seen yet.
    records: HashMap<String, SessionRecord>,
    clients: Vec<Client>,
    /// Sessions with unfinished work according to the store, until their task reports its state.
    unfinished: HashSet<String>,
    /// The discovered agents, by name.
    discovered: HashMap<String, Discovered>,
    /// The capabilities that agents last reported, by name.
    capabilities: HashMap<String, Capabilities>,
    /// The sessions that agents have listed, with their folders: by agent and the agent's id.
    listed_at_agents: HashMap<(String, String), PathBuf>,
    /// Why writing to disk fails, while it does.
    storage_problem: Option<String>,
    /// What was lost and kept when the store was repaired, until it is dismissed.
    storage_notice: Option<String>,
    /// Why recording a conversation fails, while it does, by session.
    recording_problems: BTreeMap<String, String>,
    /// The sessions that were taken over from another program.
    takeovers: elsewhere::Takeovers,
    /// The server is shutting down: no session is opened any more.
    closing: bool,
}

/// A session of the list.
#[derive(Debug)]
struct SessionEntry {
    summary: SessionSummary,
    record: SessionRecord,
    agent: Arc<Agent>,
    file: Option<PathBuf>,
    /// The last turn in the file, as it was last read.
    turn: LastTurn,
    /// The agent's own id of a session that was recorded here.
    agent_session: Option<String>,
    /// The agent's id of a session that is not loaded completely. It exists at the agent only.
    import: Option<String>,
    blobs: Blobs,
    inputs: Option<mpsc::Sender<Input>>,
    /// The session is being moved to the trash and is not opened any more.
    deleting: bool,
    /// The draft that was received last, which may not be on disk yet.
    requested_draft: Option<String>,
}

impl SessionEntry {
    fn new(summary: SessionSummary, record: SessionRecord, agent: Arc<Agent>, file: Option<PathBuf>) -> Self {
        Self {
            summary,
            record,
            agent,
            file,
            turn: LastTurn::default(),
            agent_session: None,
            import: None,
            blobs: Blobs::default(),
            inputs: None,
            deleting: false,
            requested_draft: None,
        }
    }

    /// Whether this is a session of the agent with that id.
    fn is_agent_session(&self, id: &str) -> bool {
        [&self.agent_session, &self.import].into_iter().any(|known| known.as_deref() == Some(id))
    }

    fn is_open(&self) -> bool {
        self.inputs.as_ref().is_some_and(|inputs| !inputs.is_closed())
    }

    /// Whether the session is listed without a file: a working session writes its file again, and one that was created
    /// here has none until its first prompt.
    fn needs_no_file(&self) -> bool {
        self.deleting
            || (self.is_open() && self.summary.state.is_active())
            || (self.file.is_none() && (self.is_open() || self.record.created > 0))
    }

    /// The session's row in the sidebar: what the session reports, and what the user did to it.
    fn summary(&self) -> SessionSummary {
        let is_resting = !self.summary.state.is_active() && self.summary.state != SessionState::Idle;
        // A session that was created here is known from its beginning.
        let read_at = self.record.read_at.max(self.record.created);
        SessionSummary {
            pinned: self.record.pinned,
            archived: self.record.archived,
            // A session that was never opened here is not unread.
            unread: is_resting && read_at > 0 && self.summary.modified > read_at,
            auto_approve: self.record.auto_approve,
            ..self.summary.clone()
        }
    }
}

impl Hub {
    pub fn new(config: Config, store: Store, search: Search) -> Arc<Self> {
        let hub = Arc::new(Self {
            installation: orphans::installation(&config.data_dir),
            trash: config.data_dir.join("trash"),
            audit_log: AuditLog::new(&config.data_dir, store.folder().clone()),
            data_folder: config.data_dir,
            agents: RwLock::new(config.agents.into_iter().map(Arc::new).collect()),
            default_cwd: config.cwd,
            allowed_roots: config.allowed_roots,
            idle: config.idle,
            store,
            state: Mutex::default(),
            files: Mutex::default(),
            search,
            read_ahead: ReadAhead::default(),
            watched: OnceLock::new(),
            next_client: AtomicU64::new(1),
            discovering: Mutex::default(),
            discovered: Notify::new(),
            discovery_slots: Semaphore::new(DISCOVERED_AT_ONCE),
            custom_agents: tokio::sync::Mutex::default(),
            imports: tokio::sync::Mutex::default(),
            watched_folders: Mutex::default(),
            programs: Mutex::default(),
        });
        hub.load_records();
        hub
    }

    pub const fn store(&self) -> &Store {
        &self.store
    }

    pub const fn audit_log(&self) -> &AuditLog {
        &self.audit_log
    }

    pub const fn idle(&self) -> Option<Duration> {
        self.idle
    }

    pub const fn default_cwd(&self) -> &PathBuf {
        &self.default_cwd
    }

    /// The folders in which clients may choose one.
    pub const fn allowed_roots(&self) -> &AllowedRoots {
        &self.allowed_roots
    }

    pub fn next_client_id(&self) -> ClientId {
        ClientId(self.next_client.fetch_add(1, Ordering::Relaxed))
    }

    /// Sends the client the list as it is, and every change of it from now on.
    pub fn add_client(&self, client: Client) {
        let mut state = self.state();
        let welcome = Welcome {
            version: PROTOCOL_VERSION,
            server_version: env!("CARGO_PKG_VERSION").to_owned(),
            agents: self.agent_infos(&state),
            available: self.available_agents(),
            default_cwd: self.default_cwd.to_string_lossy().into_owned(),
            sessions: newest_first(&state),
            storage_problem: state.problem(),
            storage_notice: state.storage_notice.clone(),
        };
        if client.send_frame(&ServerFrame::Welcome(welcome)) {
            state.clients.retain(|other| other.id() != client.id());
            state.clients.push(client);
        }
    }

    /// Reads the files of sessions that a new client is likely to open next.
    pub fn read_ahead(self: &Arc<Self>) {
        let files: Vec<PathBuf> = {
            let state = self.state();
            let mut entries: Vec<&SessionEntry> = state.sessions.values().collect();
            entries.sort_by_key(|entry| std::cmp::Reverse(entry.summary.modified));
            let newest = entries.into_iter().take(READ_AHEAD_SESSIONS).filter(|entry| !entry.is_open());
            newest.filter_map(|entry| entry.file.clone()).collect()
        };
        let hub = self.clone();
        tokio::task::spawn_blocking(move || hub.read_ahead.read(&files));
    }

    /// The conversation in a file, read ahead or now. Blocks.
    pub fn scan(&self, file: &Path) -> Option<ScannedFile> {
        self.read_ahead.take(file).or_else(|| HistoryFile::scan(file))
    }

    /// Removes a client that has disconnected.
    pub async fn remove_client(&self, client: ClientId) {
        let open: Vec<mpsc::Sender<Input>> = {
            let mut state = self.state();
            state.clients.retain(|other| other.id() != client);
            state.sessions.values().filter_map(|entry| entry.inputs.clone()).collect()
        };
        for inputs in open {
            let _ = inputs.send(Input::Unsubscribe { client }).await;
        }
    }

    pub fn sessions(&self) -> Vec<SessionSummary> {
        newest_first(&self.state())
    }

    /// Searches all listed sessions. Reads the disk and blocks.
    pub fn search(&self, query: &str) -> SearchResults {
        let mut results = self.search.find(query);
        let state = self.state();
        results.hits.retain(|hit| state.sessions.contains_key(&hit.session_id));
        results
    }

    /// Updates the row of a session in the sidebars.
    pub fn session_changed(&self, summary: SessionSummary) {
        let mut state = self.state();
        state.unfinished.remove(&summary.id);
        if let Some(entry) = state.sessions.get_mut(&summary.id) {
            entry.summary = summary;
            let changed = vec![entry.summary()];
            broadcast(&mut state, &ServerFrame::SessionsChanged { changed, removed: Vec::new() });
        }
    }

    /// Shows the state of a session that was read from disk. This changes neither its time nor whether it is unread.
    pub fn session_opened(&self, id: &str, now: SessionState) {
        let mut state = self.state();
        if let Some(entry) = state.sessions.get_mut(id).filter(|entry| entry.summary.state != now) {
            entry.summary.state = now;
            entry.summary.reason.clear();
            let changed = vec![entry.summary()];
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
    let mut sessions: Vec<SessionSummary> = state.sessions.values().map(SessionEntry::summary).collect();
    sessions.sort_by(|left, right| right.modified.cmp(&left.modified).then_with(|| left.id.cmp(&right.id)));
    sessions
}

fn broadcast(state: &mut HubState, frame: &ServerFrame) {
    if let Some(frame) = encode(frame) {
        state.clients.retain(|client| client.send(frame.clone()));
    }
}
