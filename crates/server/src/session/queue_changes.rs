//! Scheduled messages: offering them to the agent, and edits, removals and restores of the queue.

use pilothouse_agents::{AgentError, Request};
use pilothouse_core::conversation::queue::{Queue, QueueError, Scheduled};
use pilothouse_core::conversation::ui_message::Image;
use pilothouse_core::protocol::event::{Event, NoticeLevel};
use pilothouse_core::protocol::{CommandError, QueueEdit, RestoredQueue, SessionReply};
use pilothouse_core::session::machine::StateEvent;

use super::Session;
use super::effect::Pending;
use super::parts::prompts::check_prompt;
use super::parts::steering::{AgentQueue, Change, ChangeKind};
use super::turns::{new_prompt, queued};
use crate::client::{ClientId, Responder};
use crate::store::Write;

impl Session {
    /// Offers the agent the scheduled messages that it does not hold. An idle agent then starts a run.
    pub(super) fn offer_queue(&mut self) {
        if self.steering.is_clearing()
            || !self.agent.is_running()
            || self.agent.is_stopping()
            || self.log.meta().compacting
        {
            return;
        }
        for Scheduled { id, lane, text, mut images, .. } in self.steering.to_offer(self.agent_queue()) {
            if !self.log.state().is_active() {
                self.begin_run();
            }
            images.iter_mut().for_each(|image| self.origin.blobs.restore_data(image));
            self.steering.offer(&id);
            let context = self.shell_context();
            self.request(Request::Prompt { text, images, lane, context }, Pending::Offered { id });
        }
    }

    /// Whether a scheduled message starts the next run of an agent without a queue.
    pub(super) fn starts_next_run(&self) -> bool {
        let has_own_queue = self.log.meta().capabilities.agent_queue;
        let can_offer = self.agent.is_running() && !self.agent.is_stopping() && !self.steering.is_clearing();
        !has_own_queue && can_offer && !self.steering.to_offer(AgentQueue::Idle).is_empty()
    }

    fn agent_queue(&self) -> AgentQueue {
        let capabilities = &self.log.meta().capabilities;
        let is_busy = self.log.is_running() || self.prompts.is_starting();
        match (capabilities.agent_queue, is_busy) {
            (true, _) => AgentQueue::Own,
            (false, false) => AgentQueue::Idle,
            (false, true) if capabilities.mid_turn && self.log.is_running() => AgentQueue::Steerable,
            (false, true) => AgentQueue::Busy,
        }
    }

    /// Keeps a scheduled message that the agent refused in the queue, and notifies the user.
    pub(super) fn offer_refused(&mut self, id: &str, error: &AgentError) {
        if *error == AgentError::Busy {
            self.steering.postpone(id);
            // The run may have ended in the meantime.
            if !self.log.is_running() {
                self.steering.run_ended();
                self.offer_queue();
            }
            return;
        }
        self.steering.refuse_offer(id);
        self.end_run_that_did_not_start(StateEvent::Failed, &error.to_string());
        if *error == AgentError::Closed {
            return;
        }
        let text = format!("The agent rejected a queued message: {error}");
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

    /// Changes the queue, now or once the agent has cleared its copy.
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
                // The session file will contain the message with its new text.
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

    /// Moves the messages to the draft. They are stored there in the same write that removes them from the queue,
    /// because the reply may get lost.
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

    /// Applies and publishes a change of the queue that is already stored.
    pub(super) fn set_queue(&mut self, queue: Queue) {
        self.steering.replace(queue);
        self.publish_queue();
    }

    /// Publishes and stores a change of the queue that no client waits for.
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

/// The new revision of an edited message, and whether it is still under edit.
const fn edit_state(item: &Scheduled) -> (u32, bool) {
    (item.revision, item.under_edit)
}
