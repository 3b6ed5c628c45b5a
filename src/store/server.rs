//! A mirror of the server's state: agents, session summaries, and the content of recently opened sessions. Only frames
//! change it; components just read.

mod apply_frame;
pub mod notice;
mod recent;
mod row;
mod session;
pub mod sessions;

use std::collections::HashMap;

use leptos::prelude::*;
use pilothouse_core::limits::CACHED_SESSIONS;
use pilothouse_core::protocol::{AgentInfo, Cursor, ServerFrame, SessionSummary, Welcome};

pub use self::apply_frame::FrameEffect;
use self::recent::RecentSessions;
pub use self::row::Row;
pub use self::session::Loading;
pub use self::session::Session;

#[derive(Clone, Copy)]
pub struct ServerState {
    pub agents: RwSignal<Vec<AgentInfo>>,
    /// Why the server cannot write to its disk; `None` while it can.
    pub storage_problem: RwSignal<Option<String>>,
    pub default_cwd: RwSignal<String>,
    pub server_version: RwSignal<String>,
    pub sessions: RwSignal<Vec<SessionSummary>>,
    /// A welcome has arrived, so an empty list of sessions really is empty.
    pub known: RwSignal<bool>,
    opened: StoredValue<HashMap<String, Session>>,
    recent: StoredValue<RecentSessions>,
    owner: StoredValue<Owner>,
}

impl ServerState {
    /// Creates the signals in the current owner, which must be the page's.
    pub fn new() -> Self {
        Self {
            agents: RwSignal::default(),
            storage_problem: RwSignal::default(),
            default_cwd: RwSignal::default(),
            server_version: RwSignal::default(),
            sessions: RwSignal::default(),
            known: RwSignal::new(false),
            opened: StoredValue::default(),
            recent: StoredValue::new(RecentSessions::new(CACHED_SESSIONS)),
            owner: StoredValue::new(Owner::current().unwrap_or_default()),
        }
    }

    /// The summary of a session. Tracks the whole list.
    pub fn summary(&self, id: &str) -> Option<SessionSummary> {
        self.sessions.with(|sessions| sessions.iter().find(|session| session.id == id).cloned())
    }

    /// A session that was opened and not evicted since.
    pub fn opened(&self, id: &str) -> Option<Session> {
        self.opened.with_value(|opened| opened.get(id).copied())
    }

    /// Returns the session to show, and the ids of evicted sessions, from which the page must unsubscribe.
    pub fn show(&self, id: &str) -> (Session, Vec<String>) {
        let session = self.opened(id).unwrap_or_else(|| {
            let owner = self.owner.with_value(Owner::child);
            let session = owner.with(|| Session::new(id, owner.clone()));
            self.opened.update_value(|opened| {
                opened.insert(id.to_owned(), session);
            });
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
        self.opened.with_value(|opened| opened.values().filter_map(Session::cursor).collect())
    }

    pub fn welcome(&self, welcome: Welcome) {
        self.agents.set(welcome.agents);
        self.storage_problem.set(welcome.storage_problem);
        self.default_cwd.set(welcome.default_cwd);
        self.server_version.set(welcome.server_version);
        self.sessions.set(sessions::newest_first(welcome.sessions));
        self.known.set(true);
    }

    /// Applies a frame. `update_signals` makes the changes visible.
    pub fn apply(&self, frame: ServerFrame) -> FrameEffect {
        apply_frame::apply(self, frame)
    }

    /// Updates the signals of all changed sessions. Called once per batch of frames, so that each signal notifies at most
    /// once per animation frame.
    pub fn update_signals(&self) {
        let opened: Vec<Session> = self.opened.with_value(|opened| opened.values().copied().collect());
        opened.iter().for_each(Session::update_signals);
    }

    fn evict(&self, id: &str) {
        let evicted = self.opened.try_update_value(|opened| opened.remove(id)).flatten();
        if let Some(session) = evicted {
            session.dispose();
        }
    }
}

impl Default for ServerState {
    fn default() -> Self {
        Self::new()
    }
}
