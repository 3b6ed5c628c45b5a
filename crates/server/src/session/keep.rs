//! What a session keeps on disk beside the agent's own file, and when. A prompt, the queue and an answer are on disk
//! before anybody is told that they were taken.

use std::time::Duration;

use pilothouse_core::conversation::ask::Ask;
use pilothouse_core::conversation::message::Message;
use pilothouse_core::conversation::ui_message::BashResult;
use pilothouse_core::limits::{IN_FLIGHT_MILLISECONDS, REMEMBERED_MESSAGE_TIMES};
use pilothouse_core::protocol::event::Event;
use serde_json::Value;
use tokio::time::Instant;

use super::Session;
use crate::clock::now_ms;
use crate::store::{Extra, InFlightNote, Prompt};

const NOT_KEPT: &str = "It could not be written to disk, so nothing was done";

impl Session {
    pub(super) fn keep_prompt(&self, prompt: &Prompt) -> Result<(), String> {
        self.hub
            .store()
            .accept_prompt(&self.origin.id, prompt)
            .map_err(|error| format!("{NOT_KEPT}: {error:#}"))
    }

    /// Of something that is no prompt, and is done once all the same.
    pub(super) fn keep_id(&self, client_id: &str) -> Result<(), String> {
        self.hub
            .store()
            .remember_id(&self.origin.id, client_id, now_ms())
            .map_err(|error| format!("{NOT_KEPT}: {error:#}"))
    }

    pub(super) fn keep_outcome(&self, client_id: &str, outcome: &Result<Value, String>) {
        self.hub.store().prompt_outcome(&self.origin.id, client_id, outcome);
    }

    /// It needs no looking after any more: it was refused, taken back, or stands in the agent's file.
    pub(super) fn forget_prompt(&self, client_id: &str) {
        self.hub.store().settle_prompts(&self.origin.id, &[client_id]);
    }

    pub(super) fn keep_queue(&self) {
        if let Err(error) = self.hub.store().save_queue(&self.origin.id, &self.queue_to_keep()) {
            tracing::error!(session = %self.origin.id, "the queue could not be kept: {error:#}");
        }
    }

    pub(super) fn keep_asks(&self) {
        if let Err(error) = self.hub.store().save_asks(&self.origin.id, &self.view.asks) {
            tracing::error!(session = %self.origin.id, "the open questions could not be kept: {error:#}");
        }
    }

    /// How a question ended stays in the conversation.
    pub(super) fn record_ask(&mut self, ask: &Ask, words: String) {
        tracing::debug!(session = %self.origin.id, ask = %ask.id, "a question ended");
        let event = Event::MessageEnd { message: Message::Answered { words } };
        self.keep_extra(vec![event.clone()]);
        self.emit(event);
    }

    pub(super) fn keep_extra(&self, events: Vec<Event>) {
        self.hub.store().add_extra(&self.origin.id, &Extra { at: now_ms(), events });
    }

    /// As long as the agent has no file, nobody but us keeps a shell command.
    pub(super) fn keep_shell(&self, id: &str, result: &BashResult) {
        if self.origin.file.as_ref().is_none_or(|file| !file.is_file()) {
            let start = Event::BashStart {
                id: id.to_owned(),
                command: result.command.clone(),
                exclude_from_context: result.exclude_from_context,
            };
            self.keep_extra(vec![start, Event::BashEnd { id: id.to_owned(), result: result.clone() }]);
        }
    }

    /// What passes through the session's one loop: whose messages they are, and what is not in a file yet.
    pub(super) fn watch_event(&mut self, event: &Event) {
        if let Event::MessageStart {
            message: Message::User { timestamp, .. } | Message::Assistant { timestamp, .. },
        }
        | Event::MessageEnd {
            message: Message::User { timestamp, .. } | Message::Assistant { timestamp, .. },
        } = event
            && let Some(timestamp) = timestamp
            && self.own_messages.back() != Some(timestamp)
        {
            if self.own_messages.len() >= REMEMBERED_MESSAGE_TIMES {
                self.own_messages.pop_front();
            }
            self.own_messages.push_back(*timestamp);
        }
        self.in_flight.see(event);
        // A command that has ended stands in the agent's file: noted later, it would be shown twice after a kill.
        if matches!(event, Event::BashEnd { .. }) {
            self.note_in_flight();
        }
        if self.in_flight.is_changed() && self.note_deadline.is_none() {
            self.note_deadline = Some(Instant::now() + Duration::from_millis(IN_FLIGHT_MILLISECONDS));
        }
    }

    pub(super) fn note_in_flight(&mut self) {
        self.note_deadline = None;
        if let Some((message, events)) = self.in_flight.changes_to_note() {
            let note = (!events.is_empty()).then(|| InFlightNote { at: now_ms(), message, events });
            self.hub.store().note_in_flight(&self.origin.id, note);
        }
    }

    /// The process ended with this much unsaid to its file: it is kept as it was shown.
    pub(super) fn keep_interrupted(&mut self, exit: &Event) {
        let mut events = self.in_flight.events();
        if self.in_flight.message().is_some_and(|time| self.file_has(|file| file.has_reply(time))) {
            events.retain(|event| !is_of_reply(event));
        }
        let failed =
            matches!(exit, Event::ProcessExit { code, expected, .. } if !expected && *code != Some(0));
        if !events.is_empty() || failed {
            events.push(exit.clone());
            self.keep_extra(events);
        }
    }

    /// Prompts that stand in the agent's own file are looked after by it.
    pub(super) fn settle_told(&mut self) {
        let (settled, open) = std::mem::take(&mut self.told)
            .into_iter()
            .partition(|(_, time)| self.file_has(|file| file.has_prompt(*time)));
        self.told = open;
        let settled: Vec<(String, u64)> = settled;
        let ids: Vec<&str> = settled.iter().map(|(id, _)| id.as_str()).collect();
        if !ids.is_empty() {
            self.hub.store().settle_prompts(&self.origin.id, &ids);
        }
    }
}

/// A step of the reply, as opposed to a tool's or a command's.
pub(super) const fn is_of_reply(event: &Event) -> bool {
    matches!(event, Event::MessageStart { .. } | Event::MessageUpdate { .. })
}
