//! Passes the connection's frames and events on to the state.

use leptos::prelude::*;
use pilothouse_core::json::FromJson;
use pilothouse_core::protocol::{Cursor, ServerFrame, Welcome};

use super::{Actions, add_error_row};
use crate::browser;
use crate::browser::{local_storage, session_storage};
use crate::net::access::Access;
use crate::net::{ConnectionState, FrameHandler, Outcome};
use crate::store::server::FrameEffect;

/// The key that is set in a tab's storage when it reloads for a newer version, which it does only once.
const RELOADED_KEY: &str = "reloaded-for-version";

/// The key that is set in the browser's storage on the first visit.
const VISITED_KEY: &str = "pilothouse.begun";

impl FrameHandler for Actions {
    fn cursors(&self) -> Vec<Cursor> {
        self.server.cursors()
    }

    fn connection(&self, connection: ConnectionState) {
        self.client.connection.set(connection);
    }

    fn greeted(&self) {
        self.load_current_session();
    }

    fn welcome(&self, welcome: Welcome) {
        session_storage::remove(RELOADED_KEY);
        self.server.welcome(welcome);
        if local_storage::get(VISITED_KEY).is_none() {
            local_storage::set(VISITED_KEY, "yes");
            self.start_demo_session();
        }
        self.deliver_deferred_stops();
        // Before drafts are sent: they would overwrite messages that the server restored to its own draft.
        self.recover_lost_responses();
        self.sync_unsent_drafts();
    }

    fn frame(&self, frame: ServerFrame) {
        match self.server.apply(frame) {
            FrameEffect::Nothing => {}
            FrameEffect::Gap(id) => self.request_snapshot(&id),
            FrameEffect::Replaced(id) => {
                self.show_unconfirmed_rows(&id);
                self.adopt_server_draft(&id);
            }
            FrameEffect::Removed(ids) => self.handle_removed_sessions(&ids),
        }
    }

    fn batch_applied(&self) {
        self.server.update_signals();
    }

    fn probed(&self, outcome: Outcome) {
        if let Ok(mut data) = outcome
            && let Some(list) = data.get_mut("sessions").map(serde_json::Value::take)
            && let Some(list) = FromJson::from_json(list)
        {
            self.server.set_sessions(list);
        }
    }

    fn duplicate_response(&self, session_id: Option<&str>, command: &str) {
        let session = session_id.and_then(|id| self.server.opened(id)).or_else(|| self.current_session());
        if let Some(session) = session {
            let text = format!("The server answered '{command}' twice. The second answer was ignored.");
            add_error_row(session, text);
        }
    }

    fn access_lost(&self, access: Access) {
        self.set_access(access);
    }

    fn outdated(&self) {
        if session_storage::set_once(RELOADED_KEY) {
            browser::reload();
        } else {
            self.client.outdated.set(true);
        }
    }
}
