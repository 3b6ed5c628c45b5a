//! What is sent, until the server has answered: asked again after a lost connection and after a reload, under the same
//! id, so that nothing is lost and nothing is done twice.

use leptos::prelude::*;
use leptos::task::spawn_local;
use pilothouse_core::Image;
use pilothouse_core::protocol::{Command, Disposition, Prompted, SessionCommand};

use super::Actions;
use super::prompt::shell_command;
use crate::browser;
use crate::net::{OnDisconnect, Outcome};
use crate::store::client::{Sent, outbox};
use crate::store::server::Session;

/// What was sent longer ago, in milliseconds, is not sent by a page that finds it: that would surprise. It is put into
/// the composer.
const STALE: f64 = 24.0 * 3_600_000.0;

impl Actions {
    pub(super) fn send_out(&self, sent: Sent) {
        self.client.outbox.add(sent.clone());
        self.request(sent);
    }

    fn request(&self, sent: Sent) {
        let Sent { session_id, client_id, text, images, lane, .. } = sent;
        let id = client_id.clone();
        let command = match lane {
            Some(streaming_behavior) => {
                SessionCommand::Prompt { client_id, message: text, images, streaming_behavior }
            }
            None => {
                let (command, exclude_from_context) = shell_command(&text);
                SessionCommand::Bash { client_id, command: command.to_owned(), exclude_from_context }
            }
        };
        let actions = *self;
        self.with_connection(|connection| {
            connection.request(
                Command::of_session(&session_id, command),
                OnDisconnect::Resend,
                move |outcome| actions.answered(&id, outcome),
            );
        });
    }

    fn answered(&self, client_id: &str, outcome: Outcome) {
        let Some(sent) = self.client.outbox.take(client_id) else { return };
        let session = self.server.opened(&sent.session_id);
        match outcome {
            Ok(data) => {
                // What waits is in the queue, and a command that was dealt with is no part of the conversation.
                let prompted = serde_json::from_value::<Prompted>(data).ok();
                let disposition = prompted.map(|prompted| prompted.disposition);
                let elsewhere = matches!(disposition, Some(Disposition::Queued | Disposition::Handled));
                if let Some(session) = session.filter(|_| elsewhere) {
                    session.edit(|controller| controller.remove_user_message(client_id));
                }
            }
            Err(error) => {
                if let Some(session) = session {
                    session.edit(|controller| controller.mark_refused(client_id));
                    session.edit(|controller| controller.create_error_message(client_id, error.message));
                }
                self.give_back(sent, session.is_some());
            }
        }
        session.iter().for_each(Session::update_signals);
    }

    /// What was refused goes back to where it can be changed; unless something is being written there and its row,
    /// from which it can be taken back, is still to be seen.
    fn give_back(&self, sent: Sent, is_open: bool) {
        let writing =
            self.client.drafts.of(&sent.session_id).with_untracked(|draft| !draft.trim().is_empty());
        if !(writing && is_open && sent.is_row) {
            self.put_into_composer(&sent.session_id, sent.text, sent.images, sent.lane.is_none());
        }
    }

    pub(super) fn put_into_composer(
        &self,
        session_id: &str,
        mut text: String,
        images: Vec<Image>,
        is_command: bool,
    ) {
        // What was said to the agent is never run.
        if !is_command && text.starts_with('!') {
            text.insert(0, ' ');
        }
        self.client.drafts.put_before(session_id, &[text]);
        self.client.attachments.add(session_id, images);
    }

    /// What earlier pages have sent and nobody has answered.
    pub(super) fn go_on_with_what_was_sent(&self) {
        let left = outbox::saved_entries();
        if left.is_empty() {
            return;
        }
        let actions = *self;
        spawn_local(async move {
            for sent in outbox::load(left).await {
                // After a regained access this page's own are among them.
                if actions.client.outbox.find(&sent.client_id).is_some() {
                    continue;
                }
                if browser::now() - sent.at > STALE || sent.lacks_images {
                    sent.delete();
                    let words = "A message that was not sent is in the composer again.";
                    actions.put_into_composer(&sent.session_id, sent.text, sent.images, sent.lane.is_none());
                    actions.client.announced.set(words.to_owned());
                } else {
                    actions.client.outbox.add_saved(sent.clone());
                    actions.request(sent);
                }
            }
        });
    }

    /// After a snapshot the rows of prompts the server has not confirmed are the page's to show again; not what earlier
    /// pages have sent: the snapshot may have it, under another name.
    pub(super) fn show_unconfirmed(&self, session_id: &str) {
        let Some(session) = self.server.opened(session_id) else { return };
        for sent in self.client.outbox.of(session_id) {
            let is_there = sent.recalled || sent.lane.is_none() || session.has_user_row(&sent.client_id);
            if !session.is_active() && !is_there {
                let Sent { client_id, text, images, .. } = sent;
                self.client.outbox.move_to_timeline(&client_id);
                session.edit(|controller| controller.create_user_message(&client_id, text, images));
            }
        }
    }
}
