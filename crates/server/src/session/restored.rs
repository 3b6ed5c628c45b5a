//! What a session finds when it is opened: the agent's file, and beside it what only we know. Prompts that were
//! acknowledged and never reached the agent, the queue, what was being said when the server was killed, questions that
//! nobody can answer any more. Nothing is sent to the agent by this.

use pilothouse_core::conversation::message::{Content, Message, Part};
use pilothouse_core::conversation::queue::{Queue, Scheduled};
use pilothouse_core::protocol::event::Event;
use serde_json::json;

use super::keep::is_of_reply;
use crate::clock::now_ms;
use crate::history::ScannedFile;
use crate::http::blobs::Blobs;
use crate::store::{Extra, Prompt, Store};

#[derive(Debug, Default)]
pub(super) struct Restored {
    /// By time.
    pub extras: Vec<Extra>,
    pub queue: Queue,
    /// Acknowledged, and unknown to the agent: Resume sends it.
    pub unsent: Vec<Prompt>,
    /// Something was under way when the server ended.
    pub interrupted: bool,
}

impl Restored {
    /// Of a session that is opened: whatever ran in it before runs no more.
    pub(super) fn of(store: &Store, session: &str, blobs: &Blobs, file: Option<&ScannedFile>) -> Self {
        let mut restored = Self::default();
        restored.take_in_flight(store, session, file);
        restored.take_asks(store, session);
        restored.take_prompts(store, session, blobs, file);
        restored.extras.extend(store.extras(session).into_iter().filter(|extra| !is_in(file, extra)));
        restored.extras.sort_by_key(|extra| extra.at);
        restored
    }

    /// What is kept beside the file of a session that is open. Changes nothing: what the file has and we have not heard
    /// of yet is still on its way.
    pub(super) fn beside(store: &Store, session: &str, file: &ScannedFile) -> Vec<Extra> {
        let mut extras = store.extras(session);
        extras.retain(|extra| !is_in(Some(file), extra));
        let unsent = |prompt: &Prompt| prompt.told.is_none() && disposition(prompt) == Some(UNSENT);
        let prompts = store.prompts(session).into_iter().filter(unsent);
        extras.extend(prompts.map(|prompt| Extra { at: prompt.at, events: vec![said(&prompt)] }));
        extras.sort_by_key(|extra| extra.at);
        extras
    }

    /// What was being said is kept for good now, unless the agent finished it after we were gone.
    fn take_in_flight(&mut self, store: &Store, session: &str, file: Option<&ScannedFile>) {
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
            let message = Message::Answered { words: ask.process_ended_text() };
            let events = vec![Event::MessageEnd { message }];
            store.add_extra(session, &Extra { at: now_ms(), events });
            self.interrupted = true;
        }
        if let Err(error) = store.save_asks(session, &[]) {
            tracing::warn!(session, "closed questions could not be forgotten: {error:#}");
        }
    }

    /// Prompts and scheduled messages that the agent has in its file are done with, whether we heard of it or not. The
    /// others are shown where they were said, or wait in the queue.
    fn take_prompts(&mut self, store: &Store, session: &str, blobs: &Blobs, file: Option<&ScannedFile>) {
        let mut items = store.queue(session);
        let scheduled = items.len();
        let (done, open) = sorted(store.prompts(session), &items, file);
        items.retain(|item| !done.contains(&item.id));
        let ids: Vec<&str> = done.iter().map(String::as_str).collect();
        store.settle_prompts(session, &ids);
        if items.len() != scheduled
            && let Err(error) = store.save_queue(session, &items)
        {
            tracing::error!(session, "the queue could not be kept: {error:#}");
        }
        for prompt in open.into_iter().filter(|prompt| !items.iter().any(|item| item.id == prompt.client_id))
        {
            store.prompt_outcome(session, &prompt.client_id, &Ok(json!({ "disposition": UNSENT })));
            self.extras.push(Extra { at: prompt.at, events: vec![said(&prompt)] });
            self.unsent.push(prompt);
        }
        items.iter_mut().flat_map(|item| item.images.iter_mut()).for_each(|image| blobs.retain(image));
        items.iter_mut().for_each(|item| item.under_edit = false);
        self.queue.replace(items);
    }
}

/// The ids of the prompts that need no looking after, and the others.
fn sorted(
    prompts: Vec<Prompt>,
    queue: &[Scheduled],
    file: Option<&ScannedFile>,
) -> (Vec<String>, Vec<Prompt>) {
    // Without a prompt nothing of the file is read: it may have thousands of messages.
    let earliest = prompts.iter().map(|prompt| prompt.at).min();
    let stored = file.zip(earliest).map(|(file, at)| file.user_messages_since(at)).unwrap_or_default();
    let (mut ids, mut open) = (Vec::new(), Vec::new());
    let done = done(&prompts, queue, stored);
    for (prompt, done) in prompts.into_iter().zip(done) {
        if done { ids.push(prompt.client_id) } else { open.push(prompt) }
    }
    (ids, open)
}

/// Shell commands that ended before the agent made its file: it writes them into it when it does.
fn is_in(file: Option<&ScannedFile>, extra: &Extra) -> bool {
    let of_shell = |event: &Event| matches!(event, Event::BashStart { .. } | Event::BashEnd { .. });
    file.is_some() && extra.events.iter().all(of_shell)
}

/// Whether a message in the file is this prompt.
type Fits<'a> = dyn Fn(&Prompt, &(u64, String)) -> bool + 'a;

/// Which prompts the agent has, would not have, or has dealt with otherwise. `stored` are the person's messages in its
/// file, with their times. A server that was killed may not have heard the agent take a prompt up: then a message of
/// that text is it. Templates and skills change the text: of a prompt that was to start a run the first message after
/// it is it, when its fate is looked at for the first time. Each message is one prompt, since several may be of the same millisecond or text.
fn done(prompts: &[Prompt], queue: &[Scheduled], mut stored: Vec<(u64, String)>) -> Vec<bool> {
    let mut done: Vec<bool> = prompts.iter().map(needs_nothing).collect();
    let was_starting = |prompt: &Prompt| {
        !queue.iter().any(|item| item.id == prompt.client_id) && disposition(prompt) != Some(UNSENT)
    };
    let fits: [&Fits<'_>; 4] = [
        &|prompt, (time, text)| prompt.told == Some(*time) && *text == prompt.text,
        &|prompt, (time, _)| prompt.told == Some(*time),
        &|prompt, (time, text)| prompt.told.is_none() && *time >= prompt.at && *text == prompt.text,
        &|prompt, (time, _)| {
            prompt.told.is_none()
                && *time >= prompt.at
                && prompt.text.starts_with('/')
                && was_starting(prompt)
        },
    ];
    for fits in fits {
        for (prompt, done) in prompts.iter().zip(&mut done).filter(|(_, done)| !**done) {
            if let Some(place) = stored.iter().position(|message| fits(prompt, message)) {
                stored.remove(place);
                *done = true;
            }
        }
    }
    done
}

/// What became of a prompt that the agent turned out not to have.
const UNSENT: &str = "unsent";

fn disposition(prompt: &Prompt) -> Option<&str> {
    prompt.outcome.as_ref()?.as_ref().ok()?.get("disposition")?.as_str()
}

/// It was refused, or was a command that the agent has dealt with.
fn needs_nothing(prompt: &Prompt) -> bool {
    matches!(prompt.outcome, Some(Err(_)))
        || (prompt.told.is_none() && disposition(prompt) == Some("handled"))
}

/// The row of a prompt the agent does not know.
pub(super) fn said(prompt: &Prompt) -> Event {
    let mut parts = vec![Part::Text { text: prompt.text.clone() }];
    parts.extend(prompt.images.iter().cloned().map(Part::Image));
    let client_id = Some(prompt.client_id.clone());
    Event::MessageEnd { message: Message::User { content: Content(parts), client_id, timestamp: None } }
}
