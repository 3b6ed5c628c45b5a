//! Sending: prompts, shell commands, Stop. Nothing is lost with the socket and nothing is
//! sent twice.

use leptos::prelude::*;
use pilothouse_core::Image;
use pilothouse_core::conversation::queue::Lane;
use pilothouse_core::protocol::SessionMetaStoreFields;
use pilothouse_core::protocol::{Command, SessionCommand};

use super::Actions;
use crate::browser;
use crate::net::OnDisconnect;
use crate::store::client::{InputMode, Sent};
use crate::store::server::Session;

impl Actions {
    /// Sends what stands in the composer: a prompt, or a shell command, after `!` or by choice.
    /// In a session that another program writes, taking it over is asked for first.
    pub fn send_draft(&self, session: Session, lane: Lane) {
        if session.meta.external_writer().get_untracked() {
            let actions = *self;
            self.take_over_and(session, move || actions.send_what_is_written(session, lane));
        } else {
            self.send_what_is_written(session, lane);
        }
    }

    fn send_what_is_written(&self, session: Session, lane: Lane) {
        let id = session.id();
        let text = self.client.drafts.of(&id).get_untracked();
        let sent = match untrack(|| self.client.input_mode(&id)) {
            // Marked as if it were typed, so that a refused one comes back as what it was.
            InputMode::Shell if !text.starts_with('!') => self.run_shell(session, &format!("!{text}")),
            InputMode::Shell => self.run_shell(session, &text),
            InputMode::Prompt => self.prompt(session, text.trim(), lane),
        };
        if sent {
            self.client.reset_shell_mode(&id);
            self.client.drafts.set(&id, String::new());
            self.client.drafts.save();
            self.timeline.jump_to_end();
        }
    }

    fn prompt(&self, session: Session, text: &str, lane: Lane) -> bool {
        let (session_id, client_id) = (session.id(), browser::unique_id());
        let images = self.client.attachments.images(&session_id);
        if text.is_empty() && images.is_empty() {
            return false;
        }
        // While the agent works the message is scheduled, and the server's queue shows it.
        let is_row = !session.is_active();
        if is_row {
            let (text, images) = (text.to_owned(), images.clone());
            session.edit(|controller| controller.create_user_message(&client_id, text, images));
            session.update_signals();
        }
        // Kept as sent before they are no longer kept as waiting.
        self.send_out(Sent {
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

    /// Takes what a refused prompt's row shows back into the composer, and the row away.
    pub fn take_back(&self, session: Session, row_id: &str, text: String, images: Vec<Image>) {
        self.put_into_composer(&session.id(), text, images, false);
        let client_id = row_id.trim_start_matches("u-");
        session.edit(|controller| controller.remove_user_message(client_id));
        session.update_signals();
    }

    fn run_shell(&self, session: Session, text: &str) -> bool {
        if shell_command(text).0.is_empty() {
            return false;
        }
        let (session_id, client_id) = (session.id(), browser::unique_id());
        self.send_out(Sent {
            session_id,
            client_id,
            text: text.to_owned(),
            at: browser::now(),
            ..Sent::default()
        });
        true
    }

    pub fn stop_shell(&self, session: Session) {
        self.tell(session, SessionCommand::AbortBash);
    }

    /// Stops the run that is under way now, and no later one, also if that can be said only after a reconnect.
    /// What was scheduled comes back into the composer.
    pub fn stop(&self, session: Session) {
        let (id, run) = (session.id(), session.run());
        let actions = *self;
        self.with_connection(|connection| {
            if !connection.is_open() {
                return actions.keep_stop(id, run);
            }
            actions.ask_back(id.clone(), SessionCommand::Abort, move |lost| {
                if lost {
                    actions.keep_stop(id, run);
                }
            });
        });
    }

    /// For the reconnect; pressed twice, it is still one.
    fn keep_stop(&self, session_id: String, run: u64) {
        self.stops.update_value(|stops| {
            if !stops.contains(&(session_id.clone(), run)) {
                stops.push((session_id, run));
            }
        });
    }

    /// After a reconnect. A session answers in order, so that when it answers a question that asks for nothing,
    /// everything this page had missed is there and tells whether the run is still the same.
    pub(super) fn deliver_stops(&self) {
        for (id, run) in self.stops.try_update_value(std::mem::take).unwrap_or_default() {
            let (actions, own_id) = (*self, id.clone());
            let nothing = SessionCommand::GetMessages { before: 0, limit: Some(0) };
            self.with_connection(|connection| {
                connection.request(Command::of_session(&id, nothing), OnDisconnect::Fail, move |outcome| {
                    let session = actions.server.opened(&own_id).filter(|session| session.run() == run);
                    match outcome {
                        Ok(_) => session
                            .iter()
                            .filter(|session| session.is_active())
                            .for_each(|session| actions.stop(*session)),
                        Err(_) => actions.keep_stop(own_id, run),
                    }
                });
            });
        }
    }
}

/// `!` runs a command and shows it to the agent, `!!` keeps it to oneself.
pub(super) fn shell_command(text: &str) -> (&str, bool) {
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
        assert_eq!(shell_command("!ls -l"), ("ls -l", false));
        assert_eq!(shell_command("!! ls"), ("ls", true));
        assert_eq!(shell_command("!"), ("", false));
        assert_eq!(shell_command("!!"), ("", true));
    }
}
