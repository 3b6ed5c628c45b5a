//! Delivery of sent messages. A message stays in the outbox until the server responds, and is resent with the
//! same client id after a lost connection or a reload, so that it is neither lost nor executed twice.

use leptos::prelude::*;
use leptos::task::spawn_local;
use pilothouse_core::Image;
use pilothouse_core::protocol::{Command, Disposition, Prompted, SessionCommand};

use super::Actions;
use super::prompt::parse_shell_command;
use crate::browser;
use crate::net::{OnDisconnect, Outcome};
use crate::store::client::{Sent, outbox};
use crate::store::server::Session;

/// A saved message that is older than this, in milliseconds, is put into the composer instead of being
/// resent, because the user no longer expects it to be sent.
const MAX_RESEND_AGE: f64 = 24.0 * 3_600_000.0;

impl Actions {
    pub(super) fn send_message(&self, sent: Sent) {
        self.client.outbox.add(sent.clone());
        self.transmit(sent);
    }

    /// Sends the command of a message that is in the outbox.
    fn transmit(&self, sent: Sent) {
        let Sent { session_id, client_id, text, images, lane, .. } = sent;
        let id = client_id.clone();
        let command = match lane {
            Some(streaming_behavior) => {
                SessionCommand::Prompt { client_id, message: text, images, streaming_behavior }
            }
            None => {
                let (command, exclude_from_context) = parse_shell_command(&text);
                SessionCommand::Bash { client_id, command: command.to_owned(), exclude_from_context }
            }
        };
        let actions = *self;
        let on_response = move |outcome| actions.handle_sent_response(&id, outcome);
        self.send(Command::of_session(&session_id, command), OnDisconnect::Resend, Box::new(on_response));
    }

    fn handle_sent_response(&self, client_id: &str, outcome: Outcome) {
        let Some(sent) = self.client.outbox.take(client_id) else { return };
        let session = self.server.opened(&sent.session_id);
        match outcome {
            Ok(data) => {
                // A scheduled message is shown in the queue, and a handled command is not part of the
                // conversation.
                let prompted = serde_json::from_value::<Prompted>(data).ok();
                let disposition = prompted.map(|prompted| prompted.disposition);
                let has_no_row = matches!(disposition, Some(Disposition::Queued | Disposition::Handled));
                if let Some(session) = session.filter(|_| has_no_row) {
                    session.edit(|controller| controller.remove_user_message(client_id));
                }
            }
            Err(error) => {
                if let Some(session) = session {
                    session.edit(|controller| controller.mark_refused(client_id));
                    session.edit(|controller| controller.create_error_message(client_id, error.message));
                }
                self.restore_refused(sent, session.is_some());
            }
        }
        session.iter().for_each(Session::update_signals);
    }

    /// Puts a refused message into the composer. If the composer has a draft and the message has a visible
    /// row, it stays there, and the row's action returns it to the composer.
    fn restore_refused(&self, sent: Sent, is_open: bool) {
        let has_draft =
            self.client.drafts.of(&sent.session_id).with_untracked(|draft| !draft.trim().is_empty());
        if !(has_draft && is_open && sent.is_row) {
            self.put_into_composer(&sent.session_id, sent.text, sent.images, sent.lane.is_none());
        }
    }

    pub(super) fn put_into_composer(
        &self,
        session_id: &str,
        mut text: String,
        images: Vec<Image>,
        is_shell_command: bool,
    ) {
        // A prompt that starts with `!` must not become a shell command.
        if !is_shell_command && text.starts_with('!') {
            text.insert(0, ' ');
        }
        self.client.drafts.put_before(session_id, &[text]);
        self.client.attachments.add(session_id, images);
    }

    /// Resends the messages of earlier pages that have no response. Messages that are too old or have lost
    /// images are put into the composer instead.
    pub(super) fn resend_saved_messages(&self) {
        let entries = outbox::saved_entries();
        if entries.is_empty() {
            return;
        }
        let actions = *self;
        spawn_local(async move {
            for sent in outbox::load(entries).await {
                // Also runs when access is granted again; then this page's own messages are saved too.
                if actions.client.outbox.find(&sent.client_id).is_some() {
                    continue;
                }
                if browser::now() - sent.at > MAX_RESEND_AGE || sent.lacks_images {
                    sent.delete();
                    let announcement = "An unsent message was restored as a draft.";
                    actions.put_into_composer(&sent.session_id, sent.text, sent.images, sent.lane.is_none());
                    actions.client.announced.set(announcement.to_owned());
                } else {
                    actions.client.outbox.add_saved(sent.clone());
                    actions.transmit(sent);
                }
            }
        });
    }

    /// Shows the rows of unconfirmed prompts again after a snapshot has replaced the session's rows. Messages
    /// of earlier pages are skipped, because the snapshot may contain them under another id.
    pub(super) fn show_unconfirmed_rows(&self, session_id: &str) {
        let Some(session) = self.server.opened(session_id) else { return };
        for sent in self.client.outbox.of(session_id) {
            let needs_no_row = sent.recalled || sent.lane.is_none() || session.has_user_row(&sent.client_id);
            if !session.is_active() && !needs_no_row {
                let Sent { client_id, text, images, .. } = sent;
                self.client.outbox.move_to_timeline(&client_id);
                session.edit(|controller| controller.create_user_message(&client_id, text, images));
            }
        }
    }
}
