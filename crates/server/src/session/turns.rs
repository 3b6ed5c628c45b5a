//! Prompts: starting a run, scheduling, resuming, retrying and stopping.

use pilothouse_agents::Request;
use pilothouse_core::SessionState;
use pilothouse_core::conversation::ask::{Answer, ClosedBy};
use pilothouse_core::conversation::queue::{Lane, Queue, QueueError, Scheduled};
use pilothouse_core::conversation::ui_message::{Image, last_user_message};
use pilothouse_core::protocol::{CommandError, Disposition, ErrorCode, Prompted, SessionReply};
use pilothouse_core::session::machine::StateEvent;
use tokio::time::Instant;

use super::effect::Pending;
use super::parts::prompts::{KnownId, check_client_id, check_prompt, reply_of};
use super::{CONTINUE, Session, stopping, working};
use crate::client::Responder;
use crate::clock::now_ms;
use crate::store::Prompt;

impl Session {
    pub(super) async fn prompt(&mut self, responder: Responder, prompt: Prompt) {
        match self.prompts.known(&prompt.client_id) {
            KnownId::New => {}
            KnownId::InProgress => return self.prompts.wait(&prompt.client_id, responder),
            KnownId::Done(outcome) => return responder.respond(reply_of(outcome)),
            KnownId::Other => {
                let text = "This id was used before, for another command.";
                return responder.respond(Err(CommandError::new(ErrorCode::Conflict, text)));
            }
        }
        if let Err(error) = self.check_new_prompt(&prompt).await {
            return responder.respond(Err(error));
        }
        if self.agent.is_stopping() {
            // The stopped run has not ended yet, and its last events do not belong to this prompt.
            return self.prompts.hold(responder, prompt);
        }
        if self.log.is_busy() {
            self.schedule_prompt(responder, prompt).await;
        } else {
            let stored = self.journal.commit(vec![self.journal.accept_prompt(prompt.clone())]).await;
            match stored {
                Ok(()) => {
                    self.prompts.remember(&prompt.client_id);
                    self.start_prompt(responder, prompt).await;
                }
                Err(error) => responder.respond(Err(error)),
            }
        }
    }

    pub(super) async fn check_new_prompt(&mut self, prompt: &Prompt) -> Result<(), CommandError> {
        check_client_id(&prompt.client_id)?;
        check_prompt(&prompt.text, &prompt.images)?;
        if (self.log.is_busy() && self.steering.queue().is_full()) || self.prompts.is_full() {
            return Err(QueueError::Full.into());
        }
        self.check_writable().await
    }

    /// Adds a prompt to the queue while the agent is working, and acknowledges it as queued.
    pub(super) async fn schedule_prompt(&mut self, responder: Responder, prompt: Prompt) {
        let client_id = prompt.client_id.clone();
        match self.store_scheduled(prompt).await {
            Ok(queue) => {
                self.prompts.remember(&client_id);
                self.prompts.wait(&client_id, responder);
                self.set_queue(queue);
                let effects = self.prompts.acknowledge(&client_id, Disposition::Queued, &self.journal);
                self.perform(effects);
                self.offer_queue();
            }
            Err(error) => responder.respond(Err(error)),
        }
    }

    /// Stores a prompt at the end of the queue. Returns the new queue.
    async fn store_scheduled(&mut self, prompt: Prompt) -> Result<Queue, CommandError> {
        let mut item = scheduled(prompt.clone());
        item.images.iter_mut().for_each(|image| self.origin.blobs.retain(image));
        let (queue, ()) = self.steering.plan(|queue| queue.schedule(item))?;
        let writes = vec![self.journal.accept_prompt(queued(prompt)), self.save_queue(&queue)];
        self.journal.commit(writes).await?;
        Ok(queue)
    }

    /// Sends a stored prompt to the agent, which is started if necessary.
    pub(super) async fn start_prompt(&mut self, responder: Responder, prompt: Prompt) {
        self.begin_run();
        self.prompts.start(prompt.clone(), responder);
        let Prompt { client_id, text, images, lane, .. } = prompt;
        match self.ensure_process().await {
            Ok(()) => {
                if self.agent.is_ready() {
                    self.transition(StateEvent::SessionCreated, "");
                }
                let context = self.shell_context();
                self.request(Request::Prompt { text, images, lane, context }, Pending::Prompt { client_id });
                // Messages that were scheduled with an earlier process are offered to this one.
                self.offer_queue();
            }
            Err(error) => {
                self.refuse_prompt(&client_id, &error).await;
                self.transition(StateEvent::ProcessError, &error.message);
            }
        }
    }

    pub(super) fn begin_run(&mut self) {
        let event = match self.log.state() {
            SessionState::Idle => StateEvent::StartSession,
            SessionState::Error => StateEvent::Retry,
            _ => StateEvent::SendMessage,
        };
        self.transition(event, "");
    }

    pub(super) async fn refuse_prompt(&mut self, client_id: &str, error: &CommandError) {
        let effects = self.prompts.refuse(client_id, error, &self.journal);
        self.forget_scheduled(client_id);
        self.perform_stored(effects).await;
    }

    /// Handles the agent's acknowledgement of a prompt.
    pub(super) async fn prompt_accepted(&mut self, client_id: &str, disposition: Disposition) {
        match disposition {
            Disposition::Handled => {
                self.prompts.take_starting(client_id);
                self.forget_scheduled(client_id);
                self.end_run_that_did_not_start(StateEvent::Completed, "");
            }
            // Unexpectedly, a run was in progress.
            Disposition::Queued => {
                if let Some(prompt) = self.prompts.take_starting(client_id) {
                    let mut item = scheduled(prompt);
                    item.images.iter_mut().for_each(|image| self.origin.blobs.retain(image));
                    if let Ok((queue, ())) = self.steering.plan(|queue| queue.schedule(item)) {
                        self.set_queue(queue);
                        self.persist_queue();
                        self.steering.offer(client_id);
                    }
                }
            }
            Disposition::Started | Disposition::Unsent => {}
        }
        let effects = self.prompts.acknowledge(client_id, disposition, &self.journal);
        self.perform_stored(effects).await;
    }

    /// Ends the run in the state machine if the agent did not start one, so that clients do not show a working agent.
    pub(super) fn end_run_that_did_not_start(&mut self, how: StateEvent, reason: &str) {
        if !self.log.is_running() {
            self.agent.no_run_began();
            if self.log.state() == SessionState::Creating {
                self.log.transition_silently(StateEvent::SessionCreated);
                self.log.transition_silently(StateEvent::RequestStarted);
            }
            self.transition(how, reason);
        }
    }

    /// Processes the prompts that were held during a stop or a probe. They pass the same checks again.
    pub(super) async fn release_held(&mut self) {
        for (responder, prompt) in self.prompts.take_held() {
            // Messages that the agent received before are not this prompt.
            self.prompt(responder, Prompt { at: now_ms(), ..prompt }).await;
        }
    }

    /// Continues the session: with prompts that never reached the agent, with scheduled messages, or with a prompt
    /// that asks the agent to continue.
    pub(super) async fn resume(&mut self, responder: Responder) {
        if let Err(error) = self.check_resumable().await {
            return responder.respond(Err(error));
        }
        if let Some((first, others)) = self.prompts.resume() {
            return self.resume_unsent(responder, first, others).await;
        }
        if self.has_import() {
            responder.respond(Ok(SessionReply::Done));
            self.steering.offer_again();
            return self.import_session().await;
        }
        if self.steering.queue().sendable().next().is_none() {
            return self.prompt_as_user(responder, CONTINUE.to_owned(), Vec::new()).await;
        }
        match self.ensure_process().await {
            Ok(()) => {
                self.steering.offer_again();
                self.steering.clear_and_offer_again();
                self.send_due_requests();
                self.offer_queue();
                responder.respond(Ok(SessionReply::Done));
            }
            Err(error) => responder.respond(Err(error)),
        }
    }

    pub(super) async fn check_resumable(&mut self) -> Result<(), CommandError> {
        if self.log.is_busy() {
            return Err(working());
        }
        self.check_writable().await?;
        if self.agent.is_stopping() {
            return Err(stopping());
        }
        Ok(())
    }

    /// Sends unsent prompts again: the first starts a run, the others are scheduled in their order.
    pub(super) async fn resume_unsent(&mut self, responder: Responder, first: Prompt, others: Vec<Prompt>) {
        let planned = self.steering.plan(|queue| {
            for prompt in &others {
                let mut item = scheduled(prompt.clone());
                item.images.iter_mut().for_each(|image| self.origin.blobs.retain(image));
                queue.schedule(item)?;
            }
            Ok(())
        });
        let stored = match planned {
            Ok((queue, ())) if others.is_empty() => Ok(queue),
            Ok((queue, ())) => self.journal.commit(vec![self.save_queue(&queue)]).await.map(|()| queue),
            Err(error) => Err(error.into()),
        };
        match stored {
            Ok(queue) => {
                self.set_queue(queue);
                self.start_prompt(responder, first).await;
            }
            Err(error) => {
                self.prompts.set_unsent(std::iter::once(first).chain(others).collect());
                responder.respond(Err(error));
            }
        }
    }

    /// Sends what failed again: unsent prompts and scheduled messages, else the refused prompt, else the last user
    /// message.
    pub(super) async fn retry(&mut self, responder: Responder) {
        // The user may have logged in elsewhere; an agent may read its credentials only when it starts.
        let needs_login = self.log.meta().login.is_some();
        if self.agent.is_running() && (needs_login || self.agent.is_ending()) {
            if let Some(earlier) = self.retry_after_exit.replace(responder) {
                earlier.respond(Err(stopping()));
            }
            return self.agent.end();
        }
        if self.has_import() || self.prompts.has_unsent() || self.steering.queue().sendable().next().is_some()
        {
            return match self.schedule_refused().await {
                Ok(()) => self.resume(responder).await,
                Err(error) => responder.respond(Err(error)),
            };
        }
        let refused = self.prompts.refused().map(|prompt| (prompt.text.clone(), prompt.images.clone()));
        match refused.or_else(|| self.last_user_message()) {
            Some((text, images)) => {
                let images = self.restore_images(images).await;
                self.prompt_as_user(responder, text, images).await;
            }
            None if needs_login => {
                self.prepare().await;
                responder.respond(Ok(SessionReply::Done));
            }
            None => {
                let text = "There is no message to retry.";
                responder.respond(Err(CommandError::new(ErrorCode::Gone, text)));
            }
        }
    }

    /// Schedules the refused prompt after the messages that are sent before it.
    async fn schedule_refused(&mut self) -> Result<(), CommandError> {
        self.check_resumable().await?;
        let Some(refused) = self.prompts.refused().cloned() else { return Ok(()) };
        let images = self.restore_images(refused.images).await;
        let client_id = uuid::Uuid::now_v7().to_string();
        let prompt = new_prompt(client_id.clone(), refused.text, images, refused.lane);
        let queue = self.store_scheduled(prompt).await?;
        self.prompts.remember(&client_id);
        self.prompts.forget_refused();
        self.set_queue(queue);
        Ok(())
    }

    pub(super) async fn prompt_as_user(&mut self, responder: Responder, text: String, images: Vec<Image>) {
        if self.log.is_busy() {
            return responder.respond(Err(working()));
        }
        let client_id = uuid::Uuid::now_v7().to_string();
        self.prompt(responder, new_prompt(client_id, text, images, Lane::Steer)).await;
    }

    /// The text of the last user message, and its images by name.
    pub(super) fn last_user_message(&self) -> Option<(String, Vec<Image>)> {
        let row = last_user_message(self.log.view().controller.rows())?;
        Some((row.text.clone(), row.images.clone()))
    }

    /// Stops the run: returns the queue to the user, closes open questions, then aborts. An agent may keep its queue
    /// across an abort, and may not answer an abort while a question is open.
    pub(super) async fn stop(&mut self, responder: Responder) {
        self.restore_queue(responder, true).await;
        for ask in self.asks.to_vec() {
            let answer = Request::Answer { ask_id: ask.id.clone(), answer: Answer::Cancel };
            self.request(answer, Pending::Ignored);
            self.close_ask(&ask.id, ClosedBy::Stopped);
        }
        let meta = self.log.meta();
        let works = self.log.state().is_active()
            || meta.compacting
            || meta.retry.is_some()
            || meta.login.is_some()
            || self.log.is_running();
        if works && self.agent.is_running() {
            self.steering.abort();
            self.send_due_requests();
            // An agent without files that is still starting has no turn to end and nothing to store.
            let is_starting = self.recorder.is_some() && !self.agent.is_ready();
            let seconds = if is_starting { 0 } else { self.origin.agent.stop_seconds() };
            self.agent.expect_stop(Instant::now(), seconds);
        }
        self.transition(StateEvent::CancelSession, "");
    }
}

pub(super) fn new_prompt(client_id: String, text: String, images: Vec<Image>, lane: Lane) -> Prompt {
    Prompt { client_id, text, images, lane, at: now_ms(), reported: None, outcome: None }
}

/// The prompt as it is stored with the queue: a client that sends it again learns that it is scheduled.
pub(super) fn queued(prompt: Prompt) -> Prompt {
    Prompt { outcome: Some(Ok(Some(Prompted { disposition: Disposition::Queued }))), ..prompt }
}

fn scheduled(prompt: Prompt) -> Scheduled {
    let Prompt { client_id, text, images, lane, .. } = prompt;
    Scheduled { id: client_id, lane, text, images, ..Scheduled::default() }
}
