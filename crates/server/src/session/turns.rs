//! Prompts and scheduled messages: starting a run, resuming, retrying, stopping, and changes of the queue.

use pilothouse_agents::{AgentError, Request};
use pilothouse_core::SessionState;
use pilothouse_core::conversation::ask::{Answer, ClosedBy};
use pilothouse_core::conversation::queue::{Lane, Queue, QueueError, Scheduled};
use pilothouse_core::conversation::ui_message::{Image, last_user_message};
use pilothouse_core::protocol::event::{Event, NoticeLevel};
use pilothouse_core::protocol::{
    CommandError, Disposition, ErrorCode, Prompted, QueueEdit, RestoredQueue, SessionReply,
};
use pilothouse_core::session::machine::StateEvent;
use tokio::time::Instant;

use super::effect::Pending;
use super::prompts::{KnownId, check_client_id, check_prompt, reply_of};
use super::steering::{Change, ChangeKind};
use super::{CONTINUE, Session, stopping, working};
use crate::client::{ClientId, Responder};
use crate::clock::now_ms;
use crate::store::{Prompt, Write};

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
            // The run that was stopped has not ended yet: its last events are not about this prompt.
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

    /// The agent is working: the prompt joins the queue, and that is acknowledged.
    pub(super) async fn schedule_prompt(&mut self, responder: Responder, prompt: Prompt) {
        let client_id = prompt.client_id.clone();
        let mut item = scheduled(prompt.clone());
        item.images.iter_mut().for_each(|image| self.origin.blobs.retain(image));
        let planned = self.steering.plan(|queue| queue.schedule(item));
        let result = match planned {
            Ok((queue, ())) => {
                let writes = vec![self.journal.accept_prompt(queued(prompt)), self.save_queue(&queue)];
                self.journal.commit(writes).await.map(|()| queue)
            }
            Err(error) => Err(error.into()),
        };
        match result {
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

    /// Gives a stored prompt to the agent.
    pub(super) async fn start_prompt(&mut self, responder: Responder, prompt: Prompt) {
        self.begin_run();
        self.prompts.start(prompt.clone(), responder);
        let Prompt { client_id, text, images, lane, .. } = prompt;
        match self.ensure_process().await {
            Ok(()) => {
                if self.agent.is_ready() {
                    self.transition(StateEvent::SessionCreated, "");
                }
                self.request(Request::Prompt { text, images, lane }, Pending::Prompt { client_id });
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

    /// The agent has replied to a prompt.
    pub(super) async fn prompt_accepted(&mut self, client_id: &str, disposition: Disposition) {
        match disposition {
            Disposition::Handled => {
                self.prompts.take_starting(client_id);
                self.forget_scheduled(client_id);
                self.end_run_that_did_not_start(StateEvent::Completed, "");
            }
            // A run was in progress after all.
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

    /// A prompt that led to no run leaves no spinner behind.
    pub(super) fn end_run_that_did_not_start(&mut self, how: StateEvent, reason: &str) {
        if !self.log.is_running() {
            if self.log.state() == SessionState::Creating {
                self.log.transition_silently(StateEvent::SessionCreated);
                self.log.transition_silently(StateEvent::RequestStarted);
            }
            self.transition(how, reason);
        }
    }

    /// The stop is over: prompts that arrived meanwhile take their turn, and pass the same checks again.
    pub(super) async fn release_held(&mut self) {
        for (responder, prompt) in self.prompts.take_held() {
            self.prompt(responder, prompt).await;
        }
    }

    /// Continues the session: with prompts that never reached the agent, with scheduled messages, or by asking for it.
    pub(super) async fn resume(&mut self, responder: Responder) {
        if let Err(error) = self.check_resumable().await {
            return responder.respond(Err(error));
        }
        if let Some((first, others)) = self.prompts.resume() {
            return self.resume_unsent(responder, first, others).await;
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

    /// The first unsent prompt starts a run; the others follow it in their order.
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

    /// Tries again what failed: a prompt that the agent does not know is sent itself.
    pub(super) async fn retry(&mut self, responder: Responder) {
        if self.prompts.has_unsent() || self.steering.queue().sendable().next().is_some() {
            return self.resume(responder).await;
        }
        let refused = self.prompts.take_refused().map(|prompt| (prompt.text, prompt.images));
        match refused.or_else(|| self.last_user_message()) {
            Some((text, images)) => {
                let images = self.restore_images(images).await;
                self.prompt_as_user(responder, text, images).await;
            }
            None => {
                let text = "There is no message to send again.";
                responder.respond(Err(CommandError::new(ErrorCode::Gone, text)));
            }
        }
    }

    pub(super) async fn prompt_as_user(&mut self, responder: Responder, text: String, images: Vec<Image>) {
        if self.log.is_busy() {
            return responder.respond(Err(working()));
        }
        let client_id = uuid::Uuid::now_v7().to_string();
        self.prompt(responder, new_prompt(client_id, text, images, Lane::Steer)).await;
    }

    /// The last message of the user, with its images by name.
    pub(super) fn last_user_message(&self) -> Option<(String, Vec<Image>)> {
        let row = last_user_message(self.log.view().controller.rows())?;
        Some((row.text.clone(), row.images.clone()))
    }

    /// Offers the agent the scheduled messages that it does not hold. An idle agent starts a run by that.
    pub(super) fn offer_queue(&mut self) {
        if self.steering.is_clearing()
            || !self.agent.is_running()
            || self.agent.is_stopping()
            || self.log.meta().compacting
        {
            return;
        }
        for Scheduled { id, lane, text, mut images, .. } in self.steering.to_offer() {
            if !self.log.state().is_active() {
                self.begin_run();
            }
            images.iter_mut().for_each(|image| self.origin.blobs.restore_data(image));
            self.steering.offer(&id);
            self.request(Request::Prompt { text, images, lane }, Pending::Offered { id });
        }
    }

    /// The agent refused a scheduled message: it stays in the queue, and the user is notified.
    pub(super) fn offer_refused(&mut self, id: &str, error: &AgentError) {
        self.steering.refuse_offer(id);
        self.end_run_that_did_not_start(StateEvent::Failed, &error.to_string());
        if *error == AgentError::Closed {
            return;
        }
        let text = format!("The agent did not accept a scheduled message: {error}");
        self.publish(Event::Notice { level: NoticeLevel::Warning, text });
    }

    pub(super) async fn edit_queued(
        &mut self,
        responder: Responder,
        item_id: String,
        revision: u32,
        edit: QueueEdit,
    ) {
        let checked = match edit {
            QueueEdit::Finish { text, images } => self.with_image_data(images).await.and_then(|images| {
                check_prompt(&text, &images)?;
                Ok(QueueEdit::Finish { text, images })
            }),
            other => Ok(other),
        };
        match checked {
            Ok(edit) => {
                let kind = ChangeKind::Edit { item_id, revision, edit };
                self.change_queue(Change { kind, responder }).await;
            }
            Err(error) => responder.respond(Err(error)),
        }
    }

    /// Makes a change of the queue, now or when the agent has cleared its copy.
    pub(super) async fn change_queue(&mut self, change: Change) {
        match self.steering.begin_change(change, self.agent.is_running()) {
            Some(change) => {
                self.make_change(change).await;
                self.offer_queue();
            }
            None => self.send_due_requests(),
        }
    }

    pub(super) async fn make_changes(&mut self, changes: Vec<Change>) {
        for change in changes {
            self.make_change(change).await;
        }
        self.offer_queue();
    }

    pub(super) async fn make_change(&mut self, change: Change) {
        let Change { kind, responder } = change;
        let result = match kind {
            ChangeKind::Edit { item_id, .. } | ChangeKind::Remove { item_id, .. }
                if self.steering.is_offered(&item_id) =>
            {
                Err(QueueError::Gone.into())
            }
            ChangeKind::Edit { item_id, revision, edit } => {
                self.make_edit(&item_id, revision, edit, responder.client.id()).await
            }
            ChangeKind::Remove { item_id, revision } => self.make_removal(&item_id, revision).await,
            ChangeKind::Restore { stop } => self.make_restore(&responder.request, stop).await,
        };
        responder.respond(result);
    }

    pub(super) async fn make_removal(
        &mut self,
        id: &str,
        revision: u32,
    ) -> Result<SessionReply, CommandError> {
        let (queue, removed) = self.steering.plan(|queue| queue.remove(id, revision))?;
        let writes = vec![self.save_queue(&queue), self.journal.settle_prompts(vec![removed.id])];
        self.journal.commit(writes).await?;
        self.set_queue(queue);
        Ok(SessionReply::Done)
    }

    pub(super) async fn make_edit(
        &mut self,
        id: &str,
        revision: u32,
        edit: QueueEdit,
        client: ClientId,
    ) -> Result<SessionReply, CommandError> {
        let mut writes = Vec::new();
        let is_new_text = matches!(edit, QueueEdit::Finish { .. });
        let (queue, (revision, under_edit)) = match edit {
            QueueEdit::Begin => self.steering.plan(|queue| queue.begin_edit(id, revision).map(edit_state))?,
            QueueEdit::Cancel => {
                self.steering.plan(|queue| queue.cancel_edit(id, revision).map(edit_state))?
            }
            QueueEdit::Finish { text, mut images } => {
                let lane = self.steering.queue().item_under_edit(id, revision)?.lane;
                // The session file has the message under its new text.
                let edited = new_prompt(id.to_owned(), text.clone(), images.clone(), lane);
                writes.push(self.journal.accept_prompt(queued(edited)));
                images.iter_mut().for_each(|image| self.origin.blobs.retain(image));
                self.steering.plan(|queue| queue.finish_edit(id, revision, text, images).map(edit_state))?
            }
        };
        writes.push(self.save_queue(&queue));
        self.journal.commit(writes).await?;
        self.steering.set_editor(id, under_edit.then_some(client));
        if is_new_text {
            self.steering.text_changed(id);
        }
        self.set_queue(queue);
        Ok(SessionReply::Edited { revision })
    }

    /// Returns all scheduled messages to the user's editor. A client that asks again under the same id gets the same
    /// reply.
    pub(super) async fn restore_queue(&mut self, responder: Responder, stop: bool) {
        if let Some(restored) = self.steering.restored(&responder.request) {
            return responder.respond(Ok(SessionReply::Restored(restored)));
        }
        if let Err(responder) = self.steering.rejoin_restore(responder) {
            self.change_queue(Change { kind: ChangeKind::Restore { stop }, responder }).await;
        }
    }

    /// The messages are in the draft before they leave the queue, since the reply may get lost.
    pub(super) async fn make_restore(
        &mut self,
        request: &str,
        stop: bool,
    ) -> Result<SessionReply, CommandError> {
        let (queue, restored) = self.steering.restorable();
        if !restored.is_empty() {
            let left = self.with_data(&queue);
            if let Err(error) = self.hub.restore_to_draft(&self.origin.id, &restored, left).await {
                // A stopped agent must not continue with messages that the user wanted back.
                if stop {
                    self.steering.withhold_all();
                }
                return Err(error);
            }
            self.steering.end_all_edits();
            self.set_queue(queue);
        }
        let reply = RestoredQueue { restored };
        self.steering.remember_restored(request, reply.clone());
        Ok(SessionReply::Restored(reply))
    }

    /// Stop: the queue is cleared and restored, questions are closed, then the run is aborted. An agent may keep its
    /// queue over an abort, and may not answer an abort while a question is open.
    pub(super) async fn stop(&mut self, responder: Responder) {
        self.restore_queue(responder, true).await;
        for ask in self.asks.to_vec() {
            let answer = Request::Answer { ask_id: ask.id.clone(), answer: Answer::Cancel };
            self.request(answer, Pending::Ignored);
            self.close_ask(&ask.id, ClosedBy::Stopped);
        }
        let meta = self.log.meta();
        let works =
            self.log.state().is_active() || meta.compacting || meta.retry.is_some() || self.log.is_running();
        if works && self.agent.is_running() {
            self.steering.abort();
            self.send_due_requests();
            self.agent.expect_stop(Instant::now());
        }
        self.transition(StateEvent::CancelSession, "");
    }

    /// Carries out a change of the queue that is stored already.
    pub(super) fn set_queue(&mut self, queue: Queue) {
        self.steering.replace(queue);
        self.publish_queue();
    }

    /// The queue changed without a user waiting for it.
    pub(super) fn queue_changed(&mut self) {
        self.publish_queue();
        self.persist_queue();
    }

    pub(super) fn publish_queue(&mut self) {
        let items = self.steering.queue().items().to_vec();
        self.publish(Event::QueueUpdate { items });
        let images = self.steering.queue().items().iter().flat_map(|item| &item.images);
        self.origin.blobs.retain_only(images.map(|image| image.blob.as_str()));
    }

    pub(super) fn persist_queue(&self) {
        self.journal.submit(vec![self.save_queue(self.steering.queue())]);
    }

    pub(super) fn save_queue(&self, queue: &Queue) -> Write {
        self.journal.save_queue(self.with_data(queue))
    }

    /// The items of a queue with the data of their images.
    pub(super) fn with_data(&self, queue: &Queue) -> Vec<Scheduled> {
        let mut items = queue.items().to_vec();
        let images = items.iter_mut().flat_map(|item| item.images.iter_mut());
        images.for_each(|image: &mut Image| self.origin.blobs.restore_data(image));
        items
    }

    pub(super) fn forget_scheduled(&mut self, id: &str) {
        if self.steering.forget(id) {
            self.queue_changed();
        }
    }
}

pub(super) fn new_prompt(client_id: String, text: String, images: Vec<Image>, lane: Lane) -> Prompt {
    Prompt { client_id, text, images, lane, at: now_ms(), reported: None, outcome: None }
}

/// The prompt as it is stored with the queue: a client that sends it again learns that it is scheduled.
fn queued(prompt: Prompt) -> Prompt {
    Prompt { outcome: Some(Ok(Some(Prompted { disposition: Disposition::Queued }))), ..prompt }
}

fn scheduled(prompt: Prompt) -> Scheduled {
    let Prompt { client_id, text, images, lane, .. } = prompt;
    Scheduled { id: client_id, lane, text, images, ..Scheduled::default() }
}

/// The new revision of an edited message, and whether it is still under edit.
const fn edit_state(item: &Scheduled) -> (u32, bool) {
    (item.revision, item.under_edit)
}
