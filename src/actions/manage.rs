//! What a person does with sessions as a whole: naming, pinning, archiving, deleting, compacting, taking over. The
//! effects come back as events; only refusals are said.

use std::sync::Arc;

use leptos::prelude::*;
use pilothouse_core::limits::TITLE_BYTES;
use pilothouse_core::protocol::event::NoticeLevel;
use pilothouse_core::protocol::{HubCommand, SessionCommand};

use super::Actions;
use crate::net::Outcome;
use crate::store::client::{Confirmation, Renaming};
use crate::store::server::Session;

impl Actions {
    pub fn start_renaming(&self, session_id: String, in_sidebar: bool) {
        self.client.renaming.set(Some(Renaming { session_id, in_sidebar }));
    }

    pub fn rename(&self, session_id: &str, title: &str) {
        self.client.renaming.set(None);
        let title = title.trim().to_owned();
        if title.len() > TITLE_BYTES {
            return self.refused(session_id, format!("A title has at most {TITLE_BYTES} bytes."));
        }
        self.order(session_id, SessionCommand::RenameSession { title });
    }

    pub fn pin(&self, session_id: &str, pinned: bool) {
        let session = session_id.to_owned();
        self.order_hub(session_id, HubCommand::Pin { session_id: session, pinned });
    }

    pub fn archive(&self, session_id: &str, archived: bool) {
        let session = session_id.to_owned();
        self.order_hub(session_id, HubCommand::Archive { session_id: session, archived });
    }

    pub fn compact(&self, session_id: &str) {
        self.order(session_id, SessionCommand::Compact { instructions: None });
    }

    pub fn mark_read(&self, session_id: &str) {
        // Nothing that a person asked for: nothing to say when it fails.
        self.ask_hub(HubCommand::MarkRead { session_id: session_id.to_owned() }, drop);
    }

    /// Asks first, and says where it goes.
    pub fn delete(&self, session_id: String, title: &str) {
        let actions = *self;
        self.client.confirmation.set(Some(Confirmation {
            title: format!("Delete “{title}”?"),
            words: "Its file is moved to the trash, from where it can be taken back by hand.".to_owned(),
            yes: "Delete",
            destructive: true,
            act: Arc::new(move || {
                let session = session_id.clone();
                actions.order_hub(&session_id, HubCommand::DeleteSession { session_id: session });
            }),
        }));
    }

    /// Another program writes this session: going on here asks first, then does what was wanted.
    pub(super) fn take_over_and(&self, session: Session, then: impl Fn() + Send + Sync + 'static) {
        let (actions, then) = (*self, Arc::new(then));
        self.client.confirmation.set(Some(Confirmation {
            title: "Take over this session?".to_owned(),
            words:
                "Another program is working in it. If both go on, the conversation splits: end the other one \
                    first, or make sure that it rests."
                    .to_owned(),
            yes: "Take over",
            destructive: false,
            act: Arc::new(move || {
                let then = then.clone();
                actions.ask_in(session, SessionCommand::TakeOver, move |session, outcome| match outcome {
                    Ok(_) => then(),
                    Err(error) => session.notify(NoticeLevel::Warning, error.message),
                });
            }),
        }));
    }

    /// Tells the server; a refusal is said where the person looks.
    pub fn order(&self, session_id: &str, command: SessionCommand) {
        let (actions, id) = (*self, session_id.to_owned());
        self.ask(session_id, command, move |outcome| actions.ordered(&id, outcome));
    }

    fn order_hub(&self, session_id: &str, command: HubCommand) {
        let (actions, id) = (*self, session_id.to_owned());
        self.ask_hub(command, move |outcome| actions.ordered(&id, outcome));
    }

    fn ordered(&self, session_id: &str, outcome: Outcome) {
        if let Err(error) = outcome {
            self.refused(session_id, error.message);
        }
    }

    /// In the session itself if it is the one that is open, else in the sidebar.
    pub(super) fn refused(&self, session_id: &str, error: String) {
        match self.current().filter(|session| session.id() == session_id) {
            Some(session) => session.notify(NoticeLevel::Warning, error),
            None => self.client.trouble.set(Some(error)),
        }
    }
}
