//! Sending prompts and shell commands, and stopping runs.

use leptos::prelude::*;
use pilothouse_core::Image;
use pilothouse_core::conversation::queue::Lane;
use pilothouse_core::protocol::SessionCommand;
use pilothouse_core::protocol::SessionMetaStoreFields;

use super::Actions;
use crate::browser;
use crate::store::client::{InputMode, Sent};
use crate::store::server::Session;

impl Actions {
    /// Sends the composer's content as a prompt or, in shell mode, runs it as a shell command. In a session
    /// in which another program works, the user is asked first.
    pub fn send_draft(&self, session: Session, lane: Lane) {
        if session.meta.external_writer().get_untracked() {
            self.ask_before_sending(session, lane);
        } else {
            self.send_draft_now(session, lane);
        }
    }

    pub(super) fn send_draft_now(&self, session: Session, lane: Lane) {
        let id = session.id();
        let text = self.client.drafts.of(&id).get_untracked();
        let was_sent = match untrack(|| self.client.input_mode(&id)) {
            // With the mark, a refused command is restored to the composer as a command.
            InputMode::Shell if !text.starts_with('!') => {
                self.send_shell_command(session, &format!("!{text}"))
            }
            InputMode::Shell => self.send_shell_command(session, &text),
            InputMode::Prompt => self.send_prompt(session, text.trim(), lane),
        };
        if was_sent {
            self.client.reset_shell_mode(&id);
            self.client.drafts.set(&id, String::new());
            self.client.drafts.save();
            if self.current_session().is_some_and(|current| current.has_id(&id)) {
                self.timeline.jump_to_end();
            }
        }
    }

    /// Returns false, and sends nothing, if there is neither text nor an image.
    fn send_prompt(&self, session: Session, text: &str, lane: Lane) -> bool {
        let (session_id, client_id) = (session.id(), browser::unique_id());
        let images = self.client.attachments.images(&session_id);
        if text.is_empty() && images.is_empty() {
            return false;
        }
        // While the agent works, the message is scheduled and shown with the server's queue.
        let is_row = !session.is_active();
        if is_row {
            let (text, images) = (text.to_owned(), images.clone());
            session.edit(|controller| controller.create_user_message(&client_id, text, images));
            session.update_signals();
        }
        // The outbox saves the images before the attachments delete theirs, so that a reload in between loses
        // none.
        self.send_message(Sent {
            session_id: session_id.clone(),
            client_id,
            text: text.to_owned(),
            images,
            lane: Some(lane),
            is_row,
            at: browser::now(),
            ..Sent::default()
        });
        self.client.attachments.clear(&session_id);
        true
    }

    /// Returns false, and sends nothing, if the command is empty.
    fn send_shell_command(&self, session: Session, text: &str) -> bool {
        if parse_shell_command(text).0.is_empty() {
            return false;
        }
        let (session_id, client_id) = (session.id(), browser::unique_id());
        self.send_message(Sent {
            session_id,
            client_id,
            text: text.to_owned(),
            at: browser::now(),
            ..Sent::default()
        });
        true
    }

    /// Moves a refused prompt from its row back to the composer.
    pub fn return_to_composer(&self, session: Session, row_id: &str, text: String, images: Vec<Image>) {
        self.put_into_composer(&session.id(), text, images, false);
        let client_id = row_id.trim_start_matches("u-");
        session.edit(|controller| controller.remove_user_message(client_id));
        session.update_signals();
    }

    pub fn stop_shell(&self, session: Session) {
        self.send_or_add_error_row(session, SessionCommand::AbortBash);
    }

    /// Stops the current run and restores the scheduled messages to the composer. While disconnected, the
    /// stop is deferred until the reconnect; it never stops a later run.
    pub fn stop(&self, session: Session) {
        let (actions, id, run) = (*self, session.id(), session.run());
        if !self.is_connected() {
            return self.defer_stop(id, run);
        }
        self.request_restore(id.clone(), SessionCommand::Abort, move |response_lost| {
            if response_lost {
                actions.defer_stop(id, run);
            }
        });
    }

    /// Stores a stop for the reconnect, once per run.
    fn defer_stop(&self, session_id: String, run: u64) {
        self.deferred_stops.update_value(|stops| {
            if !stops.contains(&(session_id.clone(), run)) {
                stops.push((session_id, run));
            }
        });
    }

    /// Delivers the deferred stops after a reconnect, if their run is still active. A session responds in
    /// order: when it responds to a request for no rows, the page has all missed events and knows the current
    /// run.
    pub(super) fn deliver_deferred_stops(&self) {
        for (id, run) in self.deferred_stops.try_update_value(std::mem::take).unwrap_or_default() {
            let (actions, session_id) = (*self, id.clone());
            let no_rows = SessionCommand::GetMessages { before: 0, limit: Some(0) };
            self.request(&id, no_rows, move |outcome| {
                let session = actions.server.opened(&session_id).filter(|session| session.run() == run);
                match outcome {
                    Ok(_) => session
                        .iter()
                        .filter(|session| session.is_active())
                        .for_each(|session| actions.stop(*session)),
                    Err(_) => actions.defer_stop(session_id, run),
                }
            });
        }
    }
}

/// Splits a shell command into the command without its marks, and whether it is excluded from the agent's
/// context: `!` shares the command and its output with the agent, `!!` does not.
pub(super) fn parse_shell_command(text: &str) -> (&str, bool) {
    match text.strip_prefix("!!") {
        Some(command) => (command.trim(), true),
        None => (text.trim_start_matches('!').trim(), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mark_shares_with_the_agent_and_two_do_not() {
        assert_eq!(parse_shell_command("!ls -l"), ("ls -l", false));
        assert_eq!(parse_shell_command("!! ls"), ("ls", true));
        assert_eq!(parse_shell_command("!"), ("", false));
        assert_eq!(parse_shell_command("!!"), ("", true));
    }
}
