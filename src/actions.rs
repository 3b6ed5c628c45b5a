//! What a person can do, in the words of the product. Components call these; only here do state and transport meet.

mod attachments;
mod drafts;
mod export;
mod folders;
mod fork;
mod frame_handler;
mod lookup;
mod manage;
mod outbox;
mod prompt;
mod queue;
mod reading_positions;
mod session;
pub mod timeline;

use std::collections::HashMap;
use std::rc::Rc;

use leptos::prelude::*;
use pilothouse_core::protocol::SessionMetaStoreFields;
use pilothouse_core::protocol::event::NoticeLevel;
use pilothouse_core::protocol::{Command, HubCommand, SessionCommand};

use self::timeline::TimelineHandle;
use crate::browser;
use crate::net::{Connection, OnDisconnect, Outcome};
use crate::routes::{self, Route};
use crate::store::server::Session;
use crate::store::{ClientState, ServerState};

/// Navigates to a path below the base path of the page.
type Navigate = Rc<dyn Fn(&str)>;

/// Everything a component needs, from the context.
#[derive(Clone, Copy)]
pub struct Actions {
    pub server: ServerState,
    pub client: ClientState,
    /// What the address names.
    pub route: RwSignal<Route>,
    /// The timeline on the screen.
    pub timeline: TimelineHandle,
    /// Changes the address, once the page stands there.
    navigate: StoredValue<Option<Navigate>, LocalStorage>,
    connection: StoredValue<Option<Connection>, LocalStorage>,
    /// A Stop that could not be delivered, and the run it was meant for.
    stops: StoredValue<Vec<(String, u64)>>,
    /// Sessions whose queue is being taken back.
    restoring: StoredValue<Vec<String>>,
    /// The drafts as the server has them, and the sessions whose draft it could not be told.
    served_drafts: StoredValue<HashMap<String, String>>,
    /// Sessions and requests of which the answer, to a stop or a restore, got lost.
    missed: StoredValue<Vec<(String, String)>>,
    unserved: StoredValue<Vec<String>>,
}

impl Actions {
    /// Made once, in the page's own owner.
    pub fn make() -> Self {
        let actions = Self {
            server: ServerState::new(),
            client: ClientState::new(browser::now()),
            route: RwSignal::new(Route::default()),
            timeline: TimelineHandle::default(),
            navigate: StoredValue::new_local(None),
            connection: StoredValue::new_local(None),
            stops: StoredValue::default(),
            restoring: StoredValue::default(),
            served_drafts: StoredValue::default(),
            missed: StoredValue::default(),
            unserved: StoredValue::default(),
        };
        actions.client.drafts.on_save(move |id, text| actions.draft_rests(id, text));
        actions.connection.set_value(Some(Connection::new(Box::new(actions))));
        actions
    }

    pub fn connect(&self) {
        self.go_on_with_what_was_sent();
        self.with_connection(Connection::start);
    }

    pub fn go(&self, to: Route) {
        self.go_to_fragment(to, None);
    }

    fn go_to_fragment(&self, to: Route, fragment: Option<String>) {
        self.client.sidebar_open.set(false);
        self.client.left.set(None);
        self.client.trouble.set(None);
        let path = routes::path_below_base(&to);
        if let Some(navigate) = self.navigate.get_value() {
            navigate(&fragment.map_or(path.clone(), |fragment| format!("{path}#{fragment}")));
        }
    }

    pub fn navigate_with(&self, navigate: impl Fn(&str) + 'static) {
        self.navigate.set_value(Some(Rc::new(navigate)));
    }

    /// The session of the address, if it names one.
    pub fn current(&self) -> Option<Session> {
        match self.route.get_untracked() {
            Route::Session(id) => self.server.opened(&id),
            Route::New => None,
        }
    }

    /// A session is gone from the server: a view of it would be a view of nothing.
    fn leave(&self, removed: &[String]) {
        removed.iter().for_each(|id| self.client.attachments.forget(id));
        if let Some(session) = self.current().filter(|session| removed.contains(&session.id())) {
            let title = session.meta.title().get_untracked();
            self.go(Route::New);
            self.client.left.set(Some(title));
        }
    }

    /// One command, one answer. Lost with the connection.
    fn ask(&self, session_id: &str, command: SessionCommand, done: impl FnOnce(Outcome) + 'static) {
        self.ask_boxed(Command::of_session(session_id, command), Box::new(done));
    }

    /// The same of the hub.
    fn ask_hub(&self, command: HubCommand, done: impl FnOnce(Outcome) + 'static) {
        self.ask_boxed(command.into(), Box::new(done));
    }

    /// The same about a session; nobody is told if the page has let go of it meanwhile.
    fn ask_in(
        &self,
        session: Session,
        command: SessionCommand,
        done: impl FnOnce(Session, Outcome) + 'static,
    ) {
        let (server, id) = (self.server, session.id());
        self.ask(&id.clone(), command, move |outcome| {
            if let Some(session) = server.opened(&id) {
                done(session, outcome);
            }
        });
    }

    /// Only a refusal is said.
    fn order_in(&self, session: Session, command: SessionCommand) {
        self.ask_in(session, command, |session, outcome| {
            if let Err(error) = outcome {
                session.notify(NoticeLevel::Warning, error.message);
            }
        });
    }

    fn ask_boxed(&self, command: Command, done: Box<dyn FnOnce(Outcome)>) {
        self.with_connection(|connection| drop(connection.request(command, OnDisconnect::Fail, done)));
    }

    /// Whether a command has had no answer yet; tests wait for it.
    #[cfg(test)]
    pub fn is_waiting_for(&self, command_id: &str) -> bool {
        self.connection.get_value().is_some_and(|connection| connection.is_waiting_for(command_id))
    }

    fn with_connection(&self, with: impl FnOnce(&Connection)) {
        // Cloned, because what is done with it may come back here.
        if let Some(link) = self.connection.get_value() {
            with(&link);
        }
    }
}

/// The actions, inside the page.
pub fn use_actions() -> Actions {
    expect_context()
}
