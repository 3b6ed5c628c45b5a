//! A mirror of the server's state: agents, session summaries, and the content of recently opened sessions. Only frames
//! change it; components just read.

mod apply_frame;
pub mod notice;
mod recent;
mod row;
mod session;
pub mod sessions;

use leptos::prelude::*;
use pilothouse_core::limits::CACHED_SESSIONS;
use pilothouse_core::protocol::{AgentInfo, AvailableAgent, Cursor, ServerFrame, SessionSummary, Welcome};
use reactive_stores::{KeyedSubfield, Store};

pub use self::apply_frame::FrameEffect;
use self::recent::RecentSessions;
pub use self::row::Row;
pub use self::session::Loading;
pub use self::session::Session;
pub use self::session::Setting;
use crate::reactive::memo;

/// The sessions by id, so that a change of one session touches one row of the sidebar.
#[derive(Clone, Debug, Default, Store)]
pub struct SessionList {
    #[store(key: String = |summary| summary.id.clone())]
    sessions: Vec<SessionSummary>,
}

type SessionsField = KeyedSubfield<Store<SessionList>, SessionList, String, Vec<SessionSummary>>;

#[derive(Clone, Copy)]
pub struct ServerState {
    pub agents: RwSignal<Vec<AgentInfo>>,
    /// Known agents that are not on the server's machine.
    pub available: RwSignal<Vec<AvailableAgent>>,
    /// Why the server cannot write to its disk; `None` while it can.
    pub storage_problem: RwSignal<Option<String>>,
    /// What was lost and kept when the server's database was repaired, until it is dismissed.
    pub storage_notice: RwSignal<Option<String>>,
    /// Notified when other browsers got or lost access.
    pub devices_changed: Trigger,
    pub default_cwd: RwSignal<String>,
    sessions: Store<SessionList>,
    /// The listed sessions belong to more than one agent.
    pub several_agents: Memo<bool>,
    /// A welcome has arrived, so an empty list of sessions really is empty.
    pub known: RwSignal<bool>,
    opened: RwSignal<Vec<Session>>,
    recent: StoredValue<RecentSessions>,
    owner: StoredValue<Owner>,
}

impl ServerState {
    /// Creates the signals in the current owner, which must be the page's.
    pub fn new() -> Self {
        let sessions = Store::<SessionList>::default();
        let several_agents = memo(move || {
            let differ = |pair: &[SessionSummary]| pair[0].agent != pair[1].agent;
            sessions.sessions().with(|sessions| sessions.windows(2).any(differ))
        });
        Self {
            several_agents,
            agents: RwSignal::default(),
            available: RwSignal::default(),
            storage_problem: RwSignal::default(),
            storage_notice: RwSignal::default(),
            devices_changed: Trigger::new(),
            default_cwd: RwSignal::default(),
            sessions,
            known: RwSignal::new(false),
            opened: RwSignal::default(),
            recent: StoredValue::new(RecentSessions::new(CACHED_SESSIONS)),
            owner: StoredValue::new(Owner::current().unwrap_or_default()),
        }
    }

    /// The sessions of the sidebar, newest first. Tracks the whole list.
    pub fn sessions(&self) -> SessionsField {
        self.sessions.sessions()
    }

    /// The summary of a session. Tracks only this session, or the list while it is unknown.
    pub fn summary(&self, id: &str) -> Option<SessionSummary> {
        self.sessions().at_key(id.to_owned()).try_get()
    }

    /// Replaces the list of sessions. Only the rows that differ are notified.
    pub fn set_sessions(&self, sessions: Vec<SessionSummary>) {
        self.sessions().patch(sessions::newest_first(sessions));
    }

    /// The name of an agent that the user sees. Tracked.
    pub fn agent_title(&self, name: &str) -> String {
        let title = |agents: &Vec<AgentInfo>| {
            let agent = agents.iter().find(|agent| agent.name == name && !agent.title.is_empty())?;
            Some(agent.title.clone())
        };
        self.agents.with(title).unwrap_or_else(|| name.to_owned())
    }

    /// A session that was opened and not evicted since.
    pub fn opened(&self, id: &str) -> Option<Session> {
        untrack(|| self.track_opened(id))
    }

    /// Like `opened`, tracked.
    pub fn track_opened(&self, id: &str) -> Option<Session> {
        self.opened.with(|opened| opened.iter().find(|session| session.has_id(id)).copied())
    }

    /// Returns the session to show, and the ids of evicted sessions, from which the page must unsubscribe.
    pub fn show(&self, id: &str) -> (Session, Vec<String>) {
        let session = self.opened(id).unwrap_or_else(|| {
            let owner = self.owner.with_value(Owner::child);
            let session = owner.with(|| Session::new(id, owner.clone()));
            self.opened.update(|opened| opened.push(session));
            session
        });
        let evicted = self.recent.try_update_value(|recent| recent.touch(id)).unwrap_or_default();
        for id in &evicted {
            self.evict(id);
        }
        (session, evicted)
    }

    /// The last applied event of each open session, from which a new connection continues.
    pub fn cursors(&self) -> Vec<Cursor> {
        self.opened.with_untracked(|opened| opened.iter().filter_map(Session::cursor).collect())
    }

    pub fn welcome(&self, welcome: Welcome) {
        self.agents.set(welcome.agents);
        self.available.set(welcome.available);
        self.set_storage(welcome.storage_problem, welcome.storage_notice);
        self.default_cwd.set(welcome.default_cwd);
        self.set_sessions(welcome.sessions);
        self.known.set(true);
    }

    fn set_storage(&self, problem: Option<String>, notice: Option<String>) {
        self.storage_problem.set(problem);
        self.storage_notice.set(notice);
    }

    /// Applies a frame. `update_signals` makes the changes visible.
    pub fn apply(&self, frame: ServerFrame) -> FrameEffect {
        apply_frame::apply(self, frame)
    }

    /// Updates the signals of all changed sessions. Called once per batch of frames, so that each signal notifies at most
    /// once per animation frame.
    pub fn update_signals(&self) {
        let opened = self.opened.get_untracked();
        opened.iter().for_each(Session::update_signals);
    }

    fn evict(&self, id: &str) {
        if let Some(session) = self.opened(id) {
            self.opened.update(|opened| opened.retain(|session| !session.has_id(id)));
            session.dispose();
        }
    }
}

impl Default for ServerState {
    fn default() -> Self {
        Self::new()
    }
}
