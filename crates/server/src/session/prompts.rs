//! Prompts: taken once, kept before they are acknowledged, given to the agent in order. A client id names a prompt for
//! good: whatever is sent again under it gets the answer the first got.

use pilothouse_agents::pi::PiCommand;
use pilothouse_core::SessionState;
use pilothouse_core::conversation::queue::{Lane, QueueError, Scheduled};
use pilothouse_core::conversation::ui_message::Image;
use pilothouse_core::limits::{
    CLIENT_ID_BYTES, PROMPT_BYTES, PROMPT_IMAGES, REMEMBERED_CLIENT_IDS, SCHEDULED_MESSAGES,
};
use pilothouse_core::session::machine::StateEvent;
use serde_json::json;

use super::Session;
use super::requests::{Pending, Waiter};
use crate::clock::now_ms;
use crate::store::Prompt;

impl Session {
    pub(super) fn prompt(&mut self, waiter: Waiter, prompt: Prompt) {
        if let Some((_, known)) = self.client_ids.iter().find(|(known, _)| *known == prompt.client_id) {
            // Sent again after a lost connection: the agent sees it once.
            return match known {
                Some(outcome) => waiter.respond(outcome.clone()),
                None => self.wait_for_prompt(&prompt.client_id, waiter),
            };
        }
        if let Err(why) = self.may_prompt(&prompt) {
            return waiter.respond(Err(why));
        }
        if self.is_stopping() {
            // The run that was stopped has not ended yet: what it still says is not about this prompt.
            return self.held.push((waiter, prompt));
        }
        if let Err(why) = self.keep_prompt(&prompt) {
            return waiter.respond(Err(why));
        }
        self.remember(prompt.client_id.clone());
        let busy = self.is_busy();
        tracing::debug!(session = %self.origin.id, prompt = prompt.client_id, busy, "a prompt was taken");
        if busy { self.prompt_later(waiter, prompt) } else { self.prompt_now(waiter, prompt) }
    }

    fn may_prompt(&mut self, prompt: &Prompt) -> Result<(), String> {
        check_client_id(&prompt.client_id)?;
        check_prompt(&prompt.text, &prompt.images)?;
        if (self.is_busy() && self.view.queue.is_full()) || self.held.len() >= SCHEDULED_MESSAGES {
            return Err(QueueError::Full.to_string());
        }
        self.may_write()
    }

    /// The agent is at work: the message waits in the queue, which is kept, and that is what is acknowledged.
    fn prompt_later(&mut self, waiter: Waiter, prompt: Prompt) {
        let Prompt { client_id, text, images, lane, .. } = prompt;
        let item = Scheduled { id: client_id.clone(), lane, text, images, ..Scheduled::default() };
        match self.schedule(item) {
            Ok(()) => {
                self.prompt_done(&client_id, vec![waiter], &Ok(json!({ "disposition": "queued" })));
                self.give_rest();
            }
            Err(why) => self.prompt_refused(&client_id, vec![waiter], &why.to_string()),
        }
    }

    pub(super) fn prompt_now(&mut self, waiter: Waiter, prompt: Prompt) {
        self.begin_run();
        self.starting.push_back(prompt.clone());
        let Prompt { client_id, text, images, lane, .. } = prompt;
        let pending = Pending::Prompt { client_id, waiting: vec![waiter] };
        match self.ensure_process() {
            Ok(()) => {
                if self.ready {
                    self.step(StateEvent::SessionCreated, "");
                }
                self.request(PiCommand::Prompt { message: text, images, lane }, pending);
                // What was scheduled with a process that is gone is scheduled with the new one.
                self.give_rest();
            }
            Err(why) => {
                self.fail(pending, &why);
                self.step(StateEvent::ProcessError, &why);
            }
        }
    }

    /// Whatever is said to the agent now would wait.
    pub(super) fn is_busy(&self) -> bool {
        self.machine.state().is_active() || self.view.compacting
    }

    /// The stop is over: prompts that came meanwhile take their turn.
    pub(super) fn release_held(&mut self) {
        for (waiter, prompt) in std::mem::take(&mut self.held) {
            // It passes the same checks again: the session may be about to close.
            self.prompt(waiter, prompt);
        }
    }

    pub(super) fn begin_run(&mut self) {
        let event = match self.machine.state() {
            SessionState::Idle => StateEvent::StartSession,
            SessionState::Error => StateEvent::Retry,
            _ => StateEvent::SendMessage,
        };
        self.step(event, "");
    }

    /// Pictures may be named instead of sent, if the session has them.
    pub(super) fn with_data(&self, mut images: Vec<Image>) -> Result<Vec<Image>, String> {
        for image in images.iter_mut().filter(|image| image.data.is_empty() && !image.blob.is_empty()) {
            self.origin.blobs.restore_data(image);
            if image.data.is_empty() {
                return Err("One of the pictures is no longer there; attach it again.".to_owned());
            }
        }
        Ok(images)
    }

    pub(super) fn new_prompt(
        &self,
        client_id: String,
        text: String,
        images: Vec<Image>,
        lane: Lane,
    ) -> Prompt {
        Prompt { client_id, text, images, lane, at: now_ms(), told: None, outcome: None }
    }

    fn wait_for_prompt(&mut self, wanted: &str, waiter: Waiter) {
        for pending in self.pending.values_mut() {
            if let (_, Pending::Prompt { client_id, waiting }) = pending
                && client_id == wanted
            {
                return waiting.push(waiter);
            }
        }
        waiter.respond(Err("This was sent before, as something else.".to_owned()));
    }

    pub(super) fn remember(&mut self, client_id: String) {
        if self.client_ids.len() >= REMEMBERED_CLIENT_IDS {
            self.client_ids.pop_front();
        }
        self.client_ids.push_back((client_id, None));
    }

    /// The prompt did not reach the agent, or the agent would not have it.
    pub(super) fn prompt_refused(&mut self, client_id: &str, waiting: Vec<Waiter>, why: &str) {
        self.refused = self.starting.iter().find(|starting| starting.client_id == client_id).cloned();
        self.starting.retain(|starting| starting.client_id != client_id);
        self.forget_scheduled(client_id);
        if let Some(resuming) = self.resuming.take_if(|resuming| resuming.client_id == client_id) {
            // It was acknowledged before: what could not be sent again stays.
            waiting.into_iter().for_each(|waiter| waiter.respond(Err(why.to_owned())));
            self.unsent.insert(0, resuming);
            return;
        }
        self.prompt_done(client_id, waiting, &Err(why.to_owned()));
        self.forget_prompt(client_id);
    }

    pub(super) fn forget_scheduled(&mut self, client_id: &str) {
        if self.view.queue.discard(client_id) {
            self.emit_queue();
        }
    }
}

pub(super) fn check_client_id(client_id: &str) -> Result<(), String> {
    let proper = (1..=CLIENT_ID_BYTES).contains(&client_id.len());
    proper.then_some(()).ok_or_else(|| "A client id is between one and 64 characters long.".to_owned())
}

pub(super) fn check_prompt(message: &str, images: &[Image]) -> Result<(), String> {
    if message.trim().is_empty() && images.is_empty() {
        return Err("The message is empty.".to_owned());
    }
    if message.len() > PROMPT_BYTES {
        return Err(format!("The message is {} bytes long; {PROMPT_BYTES} is the limit.", message.len()));
    }
    if images.len() > PROMPT_IMAGES {
        return Err(format!("The message has {} images; {PROMPT_IMAGES} is the limit.", images.len()));
    }
    crate::http::blobs::check_images(images)
}
