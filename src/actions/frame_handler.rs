//! Where the transport's frames reach the state.

use leptos::prelude::*;
use pilothouse_core::json::FromJson;
use pilothouse_core::protocol::{Cursor, ServerFrame, Welcome};

use super::Actions;
use super::session::say;
use crate::browser;
use crate::browser::{local_storage, session_storage};
use crate::net::access::Access;
use crate::net::{ConnectionState, FrameHandler, Outcome};
use crate::store::server::{FrameEffect, sessions};

/// Reloading for a newer version is tried once per tab.
const RELOADED: &str = "reloaded-for-version";

/// Somebody has been here before, with this browser.
const BEGUN: &str = "pilothouse.begun";

impl FrameHandler for Actions {
    fn cursors(&self) -> Vec<Cursor> {
        self.server.cursors()
    }

    fn connection(&self, connection: ConnectionState) {
        self.client.connection.set(connection);
    }

    fn welcome(&self, welcome: Welcome) {
        session_storage::remove(RELOADED);
        self.server.welcome(welcome);
        self.open_what_is_missing();
        if local_storage::get(BEGUN).is_none() {
            local_storage::set(BEGUN, "yes");
            self.begin_with_the_demo();
        }
        self.deliver_stops();
        self.fetch_given_back();
        self.tell_drafts();
    }

    fn frame(&self, frame: ServerFrame) {
        match self.server.apply(frame) {
            FrameEffect::Nothing => {}
            FrameEffect::Gap(id) => self.reopen(&id),
            FrameEffect::Replaced(id) => {
                self.show_unconfirmed(&id);
                self.take_up_draft(&id);
            }
            FrameEffect::Removed(ids) => self.leave(&ids),
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
            self.server.sessions.set(sessions::newest_first(list));
        }
    }

    fn duplicate_response(&self, session_id: Option<&str>, command: &str) {
        let session = session_id.and_then(|id| self.server.opened(id)).or_else(|| self.current());
        if let Some(session) = session {
            say(session, format!("The server answered '{command}' twice. The second answer was left alone."));
        }
    }

    fn access_lost(&self) {
        self.client.access.set(Some(Access::Denied));
    }

    fn outdated(&self) {
        if session_storage::set_once(RELOADED) {
            browser::reload();
        } else {
            self.client.outdated.set(true);
        }
    }
}
