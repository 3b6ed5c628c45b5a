//! The user's actions: each changes the page's state, sends commands to the server, or both. Components call
//! them, and only this module connects the state with the transport.

mod agents;
mod attachments;
pub mod branches;
mod drafts;
pub mod elsewhere;
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
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_location, use_navigate};
use pilothouse_core::protocol::SessionMetaStoreFields;
use pilothouse_core::protocol::event::NoticeLevel;
use pilothouse_core::protocol::{Command, HubCommand, SessionCommand};

use self::timeline::TimelineHandle;
use crate::browser;
use crate::net::access::Access;
use crate::net::{Connection, OnDisconnect, Outcome};
use crate::reactive::memo;
use crate::routes::{self, Route};
use crate::store::server::Session;
use crate::store::{ClientState, ServerState};

/// Navigates to a path below the base path of the page. Replaces the current address, or adds one to the history.
type Navigate = Rc<dyn Fn(&str, bool)>;

/// The page's state and actions, which components get from the context.
#[derive(Clone, Copy)]
pub struct Actions {
    pub server: ServerState,
    pub client: ClientState,
    /// The route of the current address.
    pub route: Memo<Route>,
    /// The timeline on the screen.
    pub timeline: TimelineHandle,
    navigate: StoredValue<Navigate, LocalStorage>,
    connection: StoredValue<Option<Connection>, LocalStorage>,
    /// Stops that could not be delivered: the session's id and the number of the run to stop.
    deferred_stops: StoredValue<Vec<(String, u64)>>,
    /// The ids of sessions whose scheduled messages are being restored to the composer.
    restoring: StoredValue<Vec<String>>,
    /// The drafts that the server has stored, by session id.
    server_drafts: StoredValue<HashMap<String, String>>,
    /// The ids of sessions whose draft could not be sent to the server.
    unsent_drafts: StoredValue<Vec<String>>,
    /// Stop and restore requests whose response was lost: the session's id and the request's.
    lost_responses: StoredValue<Vec<(String, String)>>,
}

impl Actions {
    /// Creates the state in the current owner, which must be the page's, inside the router.
    pub fn new() -> Self {
        let location = use_location();
        let (pathname, search) = (location.pathname, location.search);
        let navigate = use_navigate();
        let navigate: Navigate = Rc::new(move |path, replace| {
            navigate(path, NavigateOptions { replace, ..NavigateOptions::default() });
        });
        let actions = Self {
            server: ServerState::new(),
            client: ClientState::new(browser::now()),
            route: memo(move || routes::parse(&pathname.get(), &search.get())),
            timeline: TimelineHandle::default(),
            navigate: StoredValue::new_local(navigate),
            connection: StoredValue::new_local(None),
            deferred_stops: StoredValue::default(),
            restoring: StoredValue::default(),
            server_drafts: StoredValue::default(),
            unsent_drafts: StoredValue::default(),
            lost_responses: StoredValue::default(),
        };
        actions.client.drafts.on_save(move |id, text| actions.sync_draft(id, text));
        actions.send_held_messages();
        actions.connection.set_value(Some(Connection::new(Box::new(actions))));
        actions
    }

    /// Sets whether this browser has access, and connects if it may have.
    pub fn set_access(&self, access: Access) {
        // Connecting first lets the handshake and the rendering of the layout overlap.
        if !access.is_denied() {
            self.connect();
        }
        self.client.access.set(Some(access));
    }

    pub fn connect(&self) {
        self.resend_saved_messages();
        if let Some(connection) = self.connection.get_value() {
            connection.start();
        }
    }

    pub fn navigate_to(&self, route: Route) {
        self.navigate_to_fragment(route, None, false);
    }

    fn navigate_to_fragment(&self, route: Route, fragment: Option<String>, replace: bool) {
        self.client.sidebar_open.set(false);
        self.client.removed_title.set(None);
        self.client.error.set(None);
        let path = routes::path_below_base(&route);
        let navigate = self.navigate.get_value();
        navigate(&fragment.map_or(path.clone(), |fragment| format!("{path}#{fragment}")), replace);
    }

    /// Replaces the function that changes the address.
    #[cfg(test)]
    pub fn set_navigate(&self, navigate: impl Fn(&str) + 'static) {
        self.navigate.set_value(Rc::new(move |path, _| navigate(path)));
    }

    /// The session of the address, if it names one and not another branch of it.
    pub fn current_session(&self) -> Option<Session> {
        untrack(|| self.track_current_session())
    }

    /// Like `current_session`, tracked.
    pub fn track_current_session(&self) -> Option<Session> {
        match self.route.get() {
            Route::Session(id) => self.server.track_opened(&id),
            Route::New | Route::Branch { .. } => None,
        }
    }

    /// Deletes the attachments of removed sessions, and leaves the current session if it is one of them.
    fn handle_removed_sessions(&self, removed: &[String]) {
        removed.iter().for_each(|id| self.client.attachments.forget(id));
        if let Some(session) = self.current_session().filter(|session| removed.contains(&session.id())) {
            let title = session.meta.title().get_untracked();
            self.navigate_to(Route::New);
            self.client.removed_title.set(Some(title));
        }
    }

    /// Sends a session command. The callback receives the response, or an error if the connection is lost.
    fn request(&self, session_id: &str, command: SessionCommand, callback: impl FnOnce(Outcome) + 'static) {
        self.send(Command::of_session(session_id, command), OnDisconnect::Fail, Box::new(callback));
    }

    /// Like `request`, for a command to the hub.
    pub fn request_hub(&self, command: HubCommand, callback: impl FnOnce(Outcome) + 'static) {
        self.send(command.into(), OnDisconnect::Fail, Box::new(callback));
    }

    /// Like `request`, but drops the response if the page has evicted the session in the meantime.
    fn request_in_session(
        &self,
        session: Session,
        command: SessionCommand,
        callback: impl FnOnce(Session, Outcome) + 'static,
    ) {
        let (server, id) = (self.server, session.id());
        self.request(&id.clone(), command, move |outcome| {
            if let Some(session) = server.opened(&id) {
                callback(session, outcome);
            }
        });
    }

    /// Sends a command whose effect arrives as events. An error becomes a notice in the session.
    fn send_or_notify(&self, session: Session, command: SessionCommand) {
        self.request_in_session(session, command, |session, outcome| {
            if let Err(error) = outcome {
                session.notify(NoticeLevel::Warning, error.message);
            }
        });
    }

    /// Sends a command whose effect arrives as events. An error becomes a row in the timeline.
    fn send_or_add_error_row(&self, session: Session, command: SessionCommand) {
        self.request_in_session(session, command, |session, outcome| {
            if let Err(error) = outcome {
                add_error_row(session, error.message);
            }
        });
    }

    /// Sends a command whose effect arrives as events. An error is shown by `show_error`.
    pub fn send_command(&self, session_id: &str, command: SessionCommand) {
        self.request(session_id, command, self.error_callback(session_id));
    }

    /// Like `send_command`, for a command to the hub that concerns a session.
    fn send_hub_command(&self, session_id: &str, command: HubCommand) {
        self.request_hub(command, self.error_callback(session_id));
    }

    /// Returns a callback that shows the error of a failed request.
    fn error_callback(&self, session_id: &str) -> impl FnOnce(Outcome) + use<> {
        let (actions, id) = (*self, session_id.to_owned());
        move |outcome| {
            if let Err(error) = outcome {
                actions.show_error(&id, error.message);
            }
        }
    }

    /// Shows an error as a notice in the session if it is the current one, otherwise in the sidebar.
    fn show_error(&self, session_id: &str, error: String) {
        match self.current_session().filter(|session| session.id() == session_id) {
            Some(session) => session.notify(NoticeLevel::Warning, error),
            None => self.client.error.set(Some(error)),
        }
    }

    /// Sends a command. Returns the request's id, or an empty string if it was not sent.
    fn send(
        &self,
        command: Command,
        on_disconnect: OnDisconnect,
        callback: Box<dyn FnOnce(Outcome)>,
    ) -> String {
        // The value is cloned, because the callback may run at once and send another command.
        let connection = self.connection.get_value();
        connection.map(|connection| connection.request(command, on_disconnect, callback)).unwrap_or_default()
    }

    fn is_connected(&self) -> bool {
        self.connection.get_value().is_some_and(|connection| connection.is_open())
    }

    #[cfg(test)]
    pub fn is_pending(&self, request_id: &str) -> bool {
        self.connection.get_value().is_some_and(|connection| connection.is_pending(request_id))
    }
}

impl Default for Actions {
    fn default() -> Self {
        Self::new()
    }
}

/// Adds an error row that only this page has.
fn add_error_row(session: Session, error: String) {
    session.edit(|controller| controller.create_error_message(&browser::unique_id(), error));
    session.update_signals();
}

/// The actions from the page's context.
pub fn use_actions() -> Actions {
    expect_context()
}
