//! Sessions in which another program works, or that it has open: asking before anything starts, and the three choices:
//! wait, fork, take over.

use std::sync::Arc;

use leptos::prelude::*;
use pilothouse_core::SessionState;
use pilothouse_core::conversation::queue::Lane;
use pilothouse_core::protocol::event::NoticeLevel;
use pilothouse_core::protocol::{ExternalProgram, SessionCommand, SessionMetaStoreFields};

use super::Actions;
use crate::reactive::effect;
use crate::routes::Route;
use crate::store::client::{Confirmation, ConfirmedAction, InputMode};
use crate::store::server::{Loading, Session};

impl Actions {
    /// Runs the action, after the user has taken the session over if another program works in it.
    pub(super) fn unless_elsewhere(&self, session_id: &str, then: ConfirmedAction) {
        let state = untrack(|| self.elsewhere_state(session_id));
        if state.is_some_and(|(_, is_elsewhere)| is_elsewhere) {
            self.ask_elsewhere(session_id, then, false)
        } else {
            then()
        }
    }

    /// Asks what to do instead of sending the composer's text.
    pub(super) fn ask_before_sending(&self, session: Session, lane: Lane) {
        let actions = *self;
        self.ask_elsewhere(&session.id(), Arc::new(move || actions.send_draft_now(session, lane)), true);
    }

    /// Takes the session over after the user has confirmed it.
    pub fn confirm_take_over(&self, session: Session) {
        self.ask_elsewhere(&session.id(), Arc::new(|| {}), false);
    }

    fn ask_elsewhere(&self, session_id: &str, then: ConfirmedAction, sends: bool) {
        let (actions, id) = (*self, session_id.to_owned());
        let opened = self.server.opened(session_id);
        let program = opened.and_then(|session| session.meta.external_program().get_untracked());
        let is_working = untrack(|| self.elsewhere_state(session_id)) == Some((SessionState::Paused, true));
        let holds = sends && is_working && self.has_draft(session_id);
        let mut alternatives: Vec<(&'static str, ConfirmedAction)> = Vec::new();
        let waiting = id.clone();
        alternatives.push((
            "Wait",
            Arc::new(move || {
                if holds {
                    actions.hold_message(&waiting)
                }
            }),
        ));
        if let Some(session) =
            opened.filter(|session| session.meta.capabilities().with_untracked(|can| can.fork))
        {
            alternatives.push(("Fork here", Arc::new(move || actions.fork_here(session))));
        }
        self.client.confirmation.set(Some(Confirmation {
            title: "Running elsewhere".to_owned(),
            text: question(program.as_ref(), is_working, holds),
            confirm_label: "Take over",
            destructive: false,
            action: Arc::new(move || actions.take_over(&id, then.clone())),
            alternatives,
        }));
    }

    fn take_over(&self, session_id: &str, then: ConfirmedAction) {
        let (actions, id) = (*self, session_id.to_owned());
        self.release_message(session_id);
        self.request(session_id, SessionCommand::TakeOver, move |outcome| match outcome {
            Ok(_) => then(),
            Err(error) => actions.show_error(&id, error.message),
        });
    }

    /// Forks after the last message, and moves the composer's content to the new session.
    pub fn fork_here(&self, session: Session) {
        let actions = *self;
        self.request_fork(session, None, move |forked| {
            let (from, to) = (session.id(), forked.session_id);
            actions.release_message(&from);
            let text = actions.client.drafts.of(&from).get_untracked();
            actions.client.drafts.set(&from, String::new());
            actions.client.drafts.set(&to, text);
            let images = actions.client.attachments.images(&from);
            actions.client.attachments.clear(&from);
            actions.client.attachments.add(&to, images);
            actions.navigate_to(Route::Session(to));
        });
    }

    /// The state of a session, and whether it runs elsewhere. Tracked; `None` until it is known.
    fn elsewhere_state(&self, session_id: &str) -> Option<(SessionState, bool)> {
        let is_loaded = |session: &Session| session.loading.with(|loading| *loading == Loading::Ready);
        match self.server.track_opened(session_id).filter(is_loaded) {
            Some(session) => Some((session.meta.state().get(), session.meta.external_writer().get())),
            None => self.server.summary(session_id).map(|summary| (summary.state, summary.external_writer)),
        }
    }

    fn has_draft(&self, session_id: &str) -> bool {
        self.client.drafts.of(session_id).with_untracked(|draft| !draft.trim().is_empty())
    }

    /// Sends the composer's text once the other program has finished, unless it is changed in the meantime.
    pub fn hold_message(&self, session_id: &str) {
        let draft = self.client.drafts.of(session_id);
        // Shell mode does not survive a reload; the mark in the text does.
        if untrack(|| self.client.input_mode(session_id)) == InputMode::Shell {
            draft.update(|text| {
                if !text.starts_with('!') {
                    text.insert(0, '!');
                }
            });
        }
        self.client.held.hold(session_id, draft.get_untracked());
    }

    pub fn release_message(&self, session_id: &str) {
        self.client.held.release(session_id);
    }

    /// Whether the composer's text is sent once the other program has finished. Tracked.
    pub fn is_held(&self, session_id: &str) -> bool {
        let draft = self.client.drafts.of(session_id);
        self.client.held.text_of(session_id).is_some_and(|held| draft.with(|draft| *draft == held))
    }

    /// Sends held messages, as long as the page is shown.
    pub fn send_held_messages(&self) {
        let actions = *self;
        effect(move || {
            for id in actions.client.held.sessions() {
                match actions.elsewhere_state(&id) {
                    None | Some((SessionState::Paused, true)) => {}
                    Some((state, _)) => {
                        untrack(|| actions.send_held_message(&id, state != SessionState::Paused));
                    }
                }
            }
        });
    }

    fn send_held_message(&self, id: &str, finished: bool) {
        let is_unchanged = self.is_held(id);
        self.release_message(id);
        let session = self.open(id);
        if finished && is_unchanged {
            let actions = *self;
            let send = Arc::new(move || actions.send_draft_now(session, Lane::Steer));
            return self.take_over(id, send);
        }
        if self.has_draft(id) {
            let text = if finished {
                "The other program has finished. Your message was not sent, because you changed it."
            } else {
                "The other program ended in the middle of its turn. Your message was not sent."
            };
            session.notify(NoticeLevel::Warning, text.to_owned());
        }
    }
}

/// The name of the other program, with its process.
pub fn program_name(program: Option<&ExternalProgram>) -> String {
    match program {
        Some(ExternalProgram { program, process_id: Some(id), .. }) => format!("{program} (process {id})"),
        Some(other) => other.program.clone(),
        None => "Another program".to_owned(),
    }
}

fn question(program: Option<&ExternalProgram>, is_working: bool, holds: bool) -> String {
    let name = program_name(program);
    let does = if is_working { "is working in this session" } else { "has this session open" };
    let waits = if holds { " Wait to send your message when it has finished." } else { "" };
    format!(
        "{name} {does}.{waits} If you take over and it continues, the conversation splits into two branches: the other \
         program doesn't notice what is said here."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_names_the_program_and_what_happens() {
        let program = ExternalProgram {
            program: "pi in a terminal".into(),
            process_id: Some(7),
            ..ExternalProgram::default()
        };
        let text = question(Some(&program), true, true);
        assert!(
            text.starts_with("pi in a terminal (process 7) is working in this session. Wait to send"),
            "{text}"
        );
        let text = question(None, false, false);
        assert!(text.starts_with("Another program has this session open. If you take over"), "{text}");
        assert!(text.contains("two branches"));
    }
}
