//! What a session finds when it is opened: the agent's file, and beside it what only we know. Prompts that were
//! acknowledged and never reached the agent, the queue, what was being said when the server was killed, questions that
//! nobody can answer any more. Nothing is sent to the agent by this.

use pilothouse_core::event::Event;
use pilothouse_core::message::{Content, Message, Part};
use pilothouse_core::queue::Queue;

use super::keep::is_of_reply;
use crate::blobs::Blobs;
use crate::pi_sessions::{Scanned, now};
use crate::store::{Extra, Prompt, Store};

#[derive(Debug, Default)]
pub(super) struct Restored {
    /// By time.
    pub extras: Vec<Extra>,
    pub queue: Queue,
    /// Acknowledged, and unknown to the agent: Resume sends it.
    pub unsent: Option<Prompt>,
    /// Something was under way when the server ended.
    pub interrupted: bool,
}

impl Restored {
    /// Of a session that is opened: whatever ran in it before runs no more.
    pub(super) fn of(store: &Store, session: &str, blobs: &Blobs, file: Option<&Scanned>) -> Self {
        let mut restored = Self::default();
        restored.take_in_flight(store, session, file);
        restored.take_asks(store, session);
        restored.take_prompts(store, session, blobs, file);
        restored.extras.extend(store.extras(session));
        restored.extras.sort_by_key(|extra| extra.at);
        restored
    }

    /// What is kept beside the file of a session that is open.
    pub(super) fn beside(store: &Store, session: &str, blobs: &Blobs, file: &Scanned) -> Vec<Extra> {
        let mut restored = Self { extras: store.extras(session), ..Self::default() };
        restored.take_prompts(store, session, blobs, Some(file));
        restored.extras.sort_by_key(|extra| extra.at);
        restored.extras
    }

    /// What was being said is kept for good now, unless the agent finished it after we were gone.
    fn take_in_flight(&mut self, store: &Store, session: &str, file: Option<&Scanned>) {
        let Some(noted) = store.in_flight(session) else { return };
        tracing::info!(
            session,
            events = noted.events.len(),
            "what was being said when the server ended is kept"
        );
        let mut events = noted.events;
        if noted.message.is_some_and(|time| file.is_some_and(|file| file.has_reply(time))) {
            events.retain(|event| !is_of_reply(event));
        }
        if !events.is_empty() {
            events.push(Event::AgentEnd { will_retry: false });
            store.add_extra(session, &Extra { at: noted.at, events });
        }
        self.interrupted = true;
        store.note_in_flight(session, None);
    }

    fn take_asks(&mut self, store: &Store, session: &str) {
        for ask in store.asks(session) {
            let content = Content(vec![Part::Text { text: ask.lost_words() }]);
            let events = vec![Event::MessageEnd { message: Message::Custom { content, display: true } }];
            store.add_extra(session, &Extra { at: now(), events });
            self.interrupted = true;
        }
        if let Err(error) = store.save_asks(session, &[]) {
            tracing::warn!(session, "closed questions could not be forgotten: {error:#}");
        }
    }

    /// Prompts and scheduled messages that the agent has in its file are done with, whether we heard of it or not.
    fn take_prompts(&mut self, store: &Store, session: &str, blobs: &Blobs, file: Option<&Scanned>) {
        let prompts = store.prompts(session);
        let earliest = prompts.iter().map(|prompt| prompt.at).min().unwrap_or_default();
        let mut stored = file.map(|file| file.user_messages_since(earliest)).unwrap_or_default();
        stored.retain(|(time, _)| !prompts.iter().any(|prompt| prompt.told == Some(*time)));
        let mut items = store.queue(session);
        for prompt in prompts {
            let scheduled = items.iter().any(|item| item.id == prompt.client_id);
            if is_done(&prompt, scheduled, &mut stored, file) {
                items.retain(|item| item.id != prompt.client_id);
                store.settle_prompts(session, &[&prompt.client_id]);
            } else if !scheduled {
                self.extras.push(Extra { at: prompt.at, events: vec![said(&prompt)] });
                self.unsent = Some(prompt);
            }
        }
        items.iter_mut().flat_map(|item| item.images.iter_mut()).for_each(|image| blobs.take(image));
        items.iter_mut().for_each(|item| item.under_edit = false);
        self.queue.replace(items);
    }
}

/// The agent has it, would not have it, or has dealt with it otherwise. A server that was killed may not have heard the
/// agent take it up: then a message of that text in its file is it, or, for one that was to start a run, the first
/// message after it.
fn is_done(
    prompt: &Prompt,
    scheduled: bool,
    stored: &mut Vec<(u64, String)>,
    file: Option<&Scanned>,
) -> bool {
    if let Some(time) = prompt.told {
        return file.is_some_and(|file| file.has_prompt(time));
    }
    match &prompt.outcome {
        Some(Err(_)) => return true,
        Some(Ok(answer)) if answer["disposition"] == "handled" => return true,
        _ => {}
    }
    let found =
        stored.iter().position(|(time, text)| *time >= prompt.at && (*text == prompt.text || !scheduled));
    found.map(|place| stored.remove(place)).is_some()
}

/// The row of a prompt the agent does not know.
fn said(prompt: &Prompt) -> Event {
    let mut parts = vec![Part::Text { text: prompt.text.clone() }];
    parts.extend(prompt.images.iter().cloned().map(Part::Image));
    let client_id = Some(prompt.client_id.clone());
    Event::MessageEnd { message: Message::User { content: Content(parts), client_id, timestamp: None } }
}
