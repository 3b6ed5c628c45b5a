//! Going on with a session that was stopped, failed, or was cut off.

use pilothouse_core::conversation::queue::{Lane, Scheduled};
use pilothouse_core::conversation::ui_message::{Image, last_user_message};
use serde_json::Value;

use super::Session;
use super::requests::Waiter;
use super::restored::said;
use crate::store::{Extra, Prompt};

impl Session {
    /// Goes on: with what was acknowledged and never reached the agent, with what is scheduled, or by asking it to.
    pub(super) fn resume(&mut self, waiter: Waiter) {
        if self.is_busy() {
            return waiter.respond(Err("The agent is already at work.".to_owned()));
        }
        if let Err(why) = self.may_write() {
            return waiter.respond(Err(why));
        }
        if self.is_stopping() {
            return waiter.respond(Err("The agent is being stopped. Try again in a moment.".to_owned()));
        }
        let mut unsent = std::mem::take(&mut self.unsent).into_iter();
        if let Some(first) = unsent.next() {
            self.resuming = Some(first.clone());
            self.prompt_now(waiter, first);
            // The others follow it, in their order.
            for Prompt { client_id, text, images, lane, .. } in unsent {
                let item = Scheduled { id: client_id, lane, text, images, ..Scheduled::default() };
                if let Err(why) = self.schedule(item) {
                    tracing::error!(session = %self.origin.id, %why, "an unsent message was not scheduled");
                }
            }
            return self.give_rest();
        }
        if self.view.queue.sendable().next().is_none() {
            return self.prompt_again(
                waiter,
                "Please go on from where you were stopped.".to_owned(),
                Vec::new(),
            );
        }
        let started = self.ensure_process();
        if started.is_ok() {
            self.agents_copy.offer_again();
            self.give_all_again();
            self.give_rest();
        }
        waiter.respond(started.map(|()| Value::Null));
    }

    /// What failed is tried again: what the agent does not know is sent itself, not said once more.
    pub(super) fn retry(&mut self, waiter: Waiter) {
        if !self.unsent.is_empty() || self.view.queue.sendable().next().is_some() {
            return self.resume(waiter);
        }
        let again = self.refused.take().map(|prompt| (prompt.text, prompt.images));
        match again.or_else(|| self.last_user_message()) {
            Some((text, images)) => self.prompt_again(waiter, text, images),
            None => waiter.respond(Err("There is no message to send again.".to_owned())),
        }
    }

    /// The person has gone on without sending these again: they stay in the conversation as what was said.
    pub(super) fn leave_unsent(&mut self) {
        for prompt in std::mem::take(&mut self.unsent) {
            self.hub
                .store()
                .add_extra(&self.origin.id, &Extra { at: prompt.at, events: vec![said(&prompt)] });
            self.forget_prompt(&prompt.client_id);
        }
    }

    /// Sends a text as if the person had.
    pub(super) fn prompt_again(&mut self, waiter: Waiter, text: String, images: Vec<Image>) {
        if self.is_busy() {
            return waiter.respond(Err("The agent is already at work.".to_owned()));
        }
        let client_id = uuid::Uuid::now_v7().to_string();
        self.prompt(waiter, self.new_prompt(client_id, text, images, Lane::Steer));
    }

    /// The last message of the person's, with the data of its pictures.
    pub(super) fn last_user_message(&self) -> Option<(String, Vec<Image>)> {
        let row = last_user_message(self.view.controller.rows())?;
        let mut images = row.images.clone();
        images.iter_mut().for_each(|image| self.origin.blobs.restore_data(image));
        Some((row.text.clone(), images))
    }
}
