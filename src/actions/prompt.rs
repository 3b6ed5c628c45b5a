//! Sending: prompts, shell commands, Stop. Nothing is lost with the socket and nothing is
//! sent twice.

use leptos::prelude::*;
use pilothouse_core::Image;
use pilothouse_core::queue::Lane;
use pilothouse_core::wire::Command;

use super::Actions;
use crate::browser;
use crate::state::client::{InputMode, Sent, Shown};
use crate::state::server::Session;
use crate::transport::{Keep, Outcome};

impl Actions {
    /// Sends what stands in the composer: a prompt, or a shell command, after `!` or by choice.
    /// In a session that another program writes, taking it over is asked for first.
    pub fn send_draft(&self, session: Session, lane: Lane) {
        if session.elsewhere.get_untracked() {
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
            self.client.forget_chosen_shell(&id);
            self.client.drafts.set(&id, String::new());
            self.client.drafts.save();
            self.client.jump_to_end.notify();
        }
    }

    fn prompt(&self, session: Session, text: &str, lane: Lane) -> bool {
        let (session_id, client_id) = (session.id(), browser::unique_id());
        let images = self.client.pictures.images(&session_id);
        if text.is_empty() && images.is_empty() {
            return false;
        }
        // While the agent works the message is scheduled, and the server's queue shows it.
        let shown = if session.is_active() { Shown::Scheduled(lane) } else { Shown::Row };
        if shown == Shown::Row {
            let (text, images) = (text.to_owned(), images.clone());
            session.edit(|controller| controller.create_user_message(&client_id, text, images));
            session.settle();
        }
        self.note_sent(&session_id, &client_id, text, images.clone(), shown);
        self.client.pictures.clear(&session_id);
        let (actions, id) = (*self, client_id.clone());
        let command =
            Command::Prompt { client_id, message: text.to_owned(), images, streaming_behavior: lane };
        self.with_link(|link| {
            link.request(Some(&session_id), command, Keep::Resend, move |outcome| {
                actions.prompt_answered(&id, outcome);
            });
        });
        true
    }

    fn note_sent(&self, session_id: &str, client_id: &str, text: &str, images: Vec<Image>, shown: Shown) {
        let adrift = !self.link.get_value().is_some_and(|link| link.is_open());
        let (session_id, client_id, text) = (session_id.to_owned(), client_id.to_owned(), text.to_owned());
        self.client.unconfirmed.add(Sent { session_id, client_id, text, images, shown, adrift });
    }

    /// The server has it, or would not have it: it is kept no longer.
    fn confirmed(&self, client_id: &str) -> Option<Sent> {
        let sent = self.client.unconfirmed.take(client_id)?;
        if sent.adrift {
            self.client.keep_adrift(&sent.session_id);
        }
        Some(sent)
    }

    fn prompt_answered(&self, client_id: &str, outcome: Outcome) {
        let Some(sent) = self.confirmed(client_id) else { return };
        let session = self.server.opened(&sent.session_id);
        match outcome {
            Ok(data) => {
                // What waits is in the queue, and a command that was dealt with is no part of the conversation.
                let disposition = data.get("disposition").and_then(|word| word.as_str());
                let elsewhere = matches!(disposition, Some("queued" | "handled"));
                if let Some(session) = session.filter(|_| elsewhere) {
                    session.edit(|controller| controller.forget_user_message(client_id));
                }
            }
            Err(error) => {
                if let Some(session) = session {
                    session.edit(|controller| controller.mark_refused(client_id));
                    session.edit(|controller| controller.create_error_message(client_id, error));
                }
                self.give_back(&sent.session_id, &sent.text, &sent.images);
            }
        }
        session.iter().for_each(Session::settle);
    }

    /// A refused prompt's text goes back to where it can be changed, unless something is being written there.
    fn give_back(&self, session_id: &str, text: &str, images: &[Image]) {
        if self.client.drafts.of(session_id).with_untracked(|draft| draft.trim().is_empty()) {
            self.client.drafts.set(session_id, text.to_owned());
            self.client.pictures.add(session_id, images.to_vec());
        }
    }

    /// Takes what a refused prompt's row shows back into the composer, and the row away.
    pub fn take_back(&self, session: Session, row_id: &str, text: String, images: Vec<Image>) {
        self.client.drafts.put_before(&session.id(), &[text]);
        self.client.pictures.add(&session.id(), images);
        let client_id = row_id.trim_start_matches("u-");
        session.edit(|controller| controller.forget_user_message(client_id));
        session.settle();
    }

    fn run_shell(&self, session: Session, text: &str) -> bool {
        let (command, exclude_from_context) = shell_command(text);
        if command.is_empty() {
            return false;
        }
        let (session_id, client_id) = (session.id(), browser::unique_id());
        let command =
            Command::Bash { client_id: client_id.clone(), command: command.to_owned(), exclude_from_context };
        self.note_sent(&session_id, &client_id, text, Vec::new(), Shown::Shell);
        let actions = *self;
        self.with_link(|link| {
            link.request(Some(&session_id), command, Keep::Resend, move |outcome| {
                let Some(sent) = actions.confirmed(&client_id) else { return };
                let Err(error) = outcome else { return };
                if let Some(session) = actions.server.opened(&sent.session_id) {
                    session.edit(|controller| controller.create_error_message(&client_id, error));
                    session.settle();
                }
                actions.give_back(&sent.session_id, &sent.text, &[]);
            });
        });
        true
    }

    pub fn stop_shell(&self, session: Session) {
        self.tell(session, Command::AbortBash);
    }

    /// Stops the run that is under way now, and no later one, also if that can be said only after a reconnect.
    /// What was scheduled comes back into the composer.
    pub fn stop(&self, session: Session) {
        let (id, run) = (session.id(), session.run());
        let actions = *self;
        self.with_link(|link| {
            if !link.is_open() {
                return actions.keep_stop(id, run);
            }
            actions.ask_back(id.clone(), Command::Abort, move |lost| {
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
            let nothing = Command::GetMessages { before: 0, limit: Some(0) };
            self.with_link(|link| {
                link.request(Some(&id), nothing, Keep::Drop, move |outcome| {
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

    /// After a snapshot the rows of prompts the server has not confirmed are the page's to show again.
    pub(super) fn show_pending_again(&self, session_id: &str) {
        let Some(session) = self.server.opened(session_id) else { return };
        for sent in self.client.unconfirmed.of(session_id) {
            let is_there = sent.shown == Shown::Shell || session.has_user_row(&sent.client_id);
            if !session.is_active() && !is_there {
                let Sent { client_id, text, images, .. } = sent;
                self.client.unconfirmed.show_as_row(&client_id);
                session.edit(|controller| controller.create_user_message(&client_id, text, images));
            }
        }
    }
}

/// `!` runs a command and shows it to the agent, `!!` keeps it to oneself.
fn shell_command(text: &str) -> (&str, bool) {
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
