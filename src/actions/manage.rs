//! Managing sessions: renaming, pinning, archiving, deleting and compacting. The effects arrive as
//! events; only errors are shown here.

use std::sync::Arc;

use leptos::prelude::*;
use pilothouse_core::limits::TITLE_BYTES;
use pilothouse_core::protocol::{HubCommand, SessionCommand};

use super::Actions;
use crate::store::client::{Confirmation, Renaming};

impl Actions {
    pub fn start_renaming(&self, session_id: String, in_sidebar: bool) {
        self.client.renaming.set(Some(Renaming { session_id, in_sidebar }));
    }

    pub fn rename(&self, session_id: &str, title: &str) {
        self.client.renaming.set(None);
        let title = title.trim().to_owned();
        if title.len() > TITLE_BYTES {
            return self
                .show_error(session_id, format!("The title is too long. The limit is {TITLE_BYTES} bytes."));
        }
        let (actions, id) = (*self, session_id.to_owned());
        let then = move || {
            actions.send_command(&id, SessionCommand::RenameSession { title: title.clone() });
        };
        self.unless_elsewhere(session_id, Arc::new(then));
    }

    pub fn pin(&self, session_id: &str, pinned: bool) {
        let id = session_id.to_owned();
        self.send_hub_command(session_id, HubCommand::Pin { session_id: id, pinned });
    }

    pub fn archive(&self, session_id: &str, archived: bool) {
        let id = session_id.to_owned();
        self.send_hub_command(session_id, HubCommand::Archive { session_id: id, archived });
    }

    pub fn compact(&self, session_id: &str) {
        let (actions, id) = (*self, session_id.to_owned());
        let then = move || {
            actions.send_command(&id, SessionCommand::Compact { instructions: None });
        };
        self.unless_elsewhere(session_id, Arc::new(then));
    }

    /// Marks a session as read. Errors are not shown, because the user did not ask for it.
    pub fn mark_read(&self, session_id: &str) {
        self.request_hub(HubCommand::MarkRead { session_id: session_id.to_owned() }, drop);
    }

    /// Dismisses the notice about the server's storage, on all devices. It disappears when the server has stored that.
    pub fn dismiss_storage_notice(&self, notice: String) {
        self.request_hub(HubCommand::DismissStorageNotice { notice }, drop);
    }

    /// Deletes a session after the user has confirmed it.
    pub fn delete(&self, session_id: String, title: &str) {
        let actions = *self;
        self.client.confirmation.set(Some(Confirmation {
            title: "Delete session?".to_owned(),
            text: format!("“{title}” will be moved to the trash in the Pilothouse data folder."),
            confirm_label: "Delete",
            destructive: true,
            alternatives: Vec::new(),
            action: Arc::new(move || {
                let id = session_id.clone();
                actions.send_hub_command(&session_id, HubCommand::DeleteSession { session_id: id });
            }),
        }));
    }
}
