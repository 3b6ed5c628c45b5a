//! Messages that are scheduled while the agent works. The queue here is authoritative; the agent has a copy of the
//! messages that may be sent.
//!
//! Agents cannot change or drop a single message: their queue is cleared and the rest is offered again. The number of
//! messages that are returned shows which ones the agent had taken by then, so that nothing is sent twice and nothing
//! is sent that was removed.

use std::collections::VecDeque;

use pilothouse_agents::{ClearedQueue, Request};
use pilothouse_core::conversation::queue::{Lane, Queue, QueueCounts, QueueError, Scheduled};
use pilothouse_core::limits::REMEMBERED_RESTORES;
use pilothouse_core::protocol::{QueueEdit, RestoredQueue};

use crate::client::{ClientId, Responder};
use crate::session::effect::{Effect, Pending};

/// The queue, and the state of the agent's copy of it.
#[derive(Debug, Default)]
pub(in crate::session) struct Steering {
    queue: Queue,
    /// The ids of the messages that the agent holds.
    offered: Vec<String>,
    /// The ids of messages that are not offered: the agent refused them, or they could not be restored after a stop.
    withheld: Vec<String>,
    /// The ids of messages that the agent did not accept during the run. They are offered after it.
    postponed: Vec<String>,
    clearing: Option<Clearing>,
    /// The run is to be aborted right after the request to clear the agent's queue.
    abort: bool,
    /// The clients that are editing a message, each with the message's id.
    editors: Vec<(ClientId, String)>,
    /// The length of the agent's queue, as the agent reports it.
    agent_queue: Option<QueueCounts>,
    /// The replies to restores by the id of their request, for clients that lost the reply.
    restored: VecDeque<(String, RestoredQueue)>,
}

/// How an agent accepts scheduled messages now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::session) enum AgentQueue {
    /// It holds them in a queue of its own.
    Own,
    /// It works, and accepts a message in the middle of its turn.
    Steerable,
    /// It works and accepts nothing.
    Busy,
    /// It does not work: the next message starts a run.
    Idle,
}

/// A pending clear of the agent's queue, and the changes that are made when it is done.
#[derive(Debug, Default)]
struct Clearing {
    changes: Vec<Change>,
    /// The request was sent to the agent.
    requested: bool,
}

/// A change of the queue, and the client that waits for it.
#[derive(Debug)]
pub(in crate::session) struct Change {
    pub(in crate::session) kind: ChangeKind,
    pub(in crate::session) responder: Responder,
}

#[derive(Debug)]
pub(in crate::session) enum ChangeKind {
    Edit {
        item_id: String,
        revision: u32,
        edit: QueueEdit,
    },
    Remove {
        item_id: String,
        revision: u32,
    },
    /// Returns all messages to the user's editor. With `stop` the run ends, too.
    Restore {
        stop: bool,
    },
}

impl Steering {
    pub(in crate::session) fn new(queue: Queue) -> Self {
        Self { queue, ..Self::default() }
    }

    pub(in crate::session) const fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Prepares a change of the queue. Nothing changes before [`Steering::replace`], so that it can be stored first.
    pub(in crate::session) fn plan<T>(
        &self,
        change: impl FnOnce(&mut Queue) -> Result<T, QueueError>,
    ) -> Result<(Queue, T), QueueError> {
        let mut queue = self.queue.clone();
        let result = change(&mut queue)?;
        Ok((queue, result))
    }

    /// Carries out a prepared change.
    pub(in crate::session) fn replace(&mut self, queue: Queue) {
        self.queue = queue;
    }

    /// Removes a message that the agent has handled. Returns whether it was scheduled.
    pub(in crate::session) fn forget(&mut self, id: &str) -> bool {
        self.offered.retain(|offered| offered != id);
        self.queue.discard(id)
    }

    pub(in crate::session) fn is_offered(&self, id: &str) -> bool {
        self.offered.iter().any(|offered| offered == id)
    }

    pub(in crate::session) fn has_offers(&self) -> bool {
        !self.offered.is_empty()
    }

    pub(in crate::session) const fn is_clearing(&self) -> bool {
        self.clearing.is_some()
    }

    /// The messages that may be sent now and that the agent does not hold, in order. An agent without a queue of its own
    /// gets one message at a time: during a run only if it can be steered, else after the run.
    pub(in crate::session) fn to_offer(&self, agent: AgentQueue) -> Vec<Scheduled> {
        let is_new = |item: &&Scheduled| !self.is_offered(&item.id) && !self.withheld.contains(&item.id);
        let mut new = self.queue.sendable().filter(is_new);
        match agent {
            AgentQueue::Own => new.cloned().collect(),
            _ if self.has_offers() => Vec::new(),
            AgentQueue::Steerable => {
                let is_steering =
                    |item: &&Scheduled| item.lane == Lane::Steer && !self.postponed.contains(&item.id);
                new.find(is_steering).cloned().into_iter().collect()
            }
            AgentQueue::Busy => Vec::new(),
            AgentQueue::Idle => {
                let mut new: Vec<&Scheduled> = new.collect();
                new.sort_by_key(|item| item.lane == Lane::FollowUp);
                new.first().map(|item| Scheduled::clone(item)).into_iter().collect()
            }
        }
    }

    /// Offers a message again after the run: the agent did not accept it in between.
    pub(in crate::session) fn postpone(&mut self, id: &str) {
        self.offered.retain(|offered| offered != id);
        self.postponed.push(id.to_owned());
    }

    /// The run has ended: everything may be offered again.
    pub(in crate::session) fn run_ended(&mut self) {
        self.postponed.clear();
    }

    pub(in crate::session) fn offer(&mut self, id: &str) {
        self.offered.push(id.to_owned());
    }

    /// Withholds a message that the agent refused: it stays in the queue and is offered again only when it was
    /// edited, or to another process.
    pub(in crate::session) fn refuse_offer(&mut self, id: &str) {
        self.offered.retain(|offered| offered != id);
        self.withheld.push(id.to_owned());
    }

    /// Withholds all messages until the user continues.
    pub(in crate::session) fn withhold_all(&mut self) {
        self.withheld = self.queue.items().iter().map(|item| item.id.clone()).collect();
    }

    /// Offers withheld messages again: to another process, or because the user continues.
    pub(in crate::session) fn offer_again(&mut self) {
        self.withheld.clear();
    }

    /// Remembers which client edits a message; `None` when the edit has ended.
    pub(in crate::session) fn set_editor(&mut self, id: &str, editor: Option<ClientId>) {
        self.editors.retain(|(_, edited)| edited != id);
        self.editors.extend(editor.map(|client| (client, id.to_owned())));
    }

    /// A message with a new text is offered again.
    pub(in crate::session) fn text_changed(&mut self, id: &str) {
        self.withheld.retain(|withheld| withheld != id);
    }

    pub(in crate::session) fn end_all_edits(&mut self) {
        self.editors.clear();
    }

    /// Ends the edits of a client that is gone. Returns whether the queue changed.
    pub(in crate::session) fn end_edits_of(&mut self, client: ClientId) -> bool {
        let begins_edit = |change: &Change| {
            change.responder.client.id() == client
                && matches!(change.kind, ChangeKind::Edit { edit: QueueEdit::Begin, .. })
        };
        if let Some(clearing) = &mut self.clearing {
            clearing.changes.retain(|change| !begins_edit(change));
        }
        let (ended, kept): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.editors).into_iter().partition(|(editor, _)| *editor == client);
        self.editors = kept;
        let mut changed = false;
        for (_, id) in ended {
            let revision = self.queue.items().iter().find(|item| item.id == id).map(|item| item.revision);
            changed |= revision.is_some_and(|revision| self.queue.cancel_edit(&id, revision).is_ok());
        }
        changed
    }

    /// Returns the change if it can be made now; otherwise the agent's queue is cleared first. A stop always clears it:
    /// the agent may hold messages of extensions, or one that is being delivered.
    pub(in crate::session) fn begin_change(&mut self, change: Change, agent_runs: bool) -> Option<Change> {
        let restores = matches!(change.kind, ChangeKind::Restore { .. });
        match &mut self.clearing {
            Some(clearing) => clearing.changes.push(change),
            None if !agent_runs || (!restores && self.offered.is_empty()) => return Some(change),
            None => self.clearing = Some(Clearing { changes: vec![change], requested: false }),
        }
        None
    }

    /// If a restore with the same request id is in progress, makes it reply to this client. Otherwise returns the
    /// responder.
    pub(in crate::session) fn rejoin_restore(&mut self, responder: Responder) -> Result<(), Responder> {
        let changes = self.clearing.iter_mut().flat_map(|clearing| &mut clearing.changes);
        match changes.into_iter().find(|change| change.responder.request == responder.request) {
            Some(change) => {
                change.responder = responder;
                Ok(())
            }
            None => Err(responder),
        }
    }

    /// Clears the agent's copy and offers the messages again, which makes an idle agent continue.
    pub(in crate::session) fn clear_and_offer_again(&mut self) {
        if self.clearing.is_none() && self.has_offers() {
            self.clearing = Some(Clearing::default());
        }
    }

    /// Aborts the run after the request to clear the queue, because an agent keeps its queue across an abort.
    pub(in crate::session) fn abort(&mut self) {
        self.abort = true;
    }

    /// The requests that are due. The agent's queue is cleared only when nothing is being delivered to it: it takes a
    /// moment to enqueue a message and would return a queue without it. An agent without a queue is aborted first,
    /// which also ends the delivery.
    pub(in crate::session) fn due_requests(&mut self, is_delivering: bool, has_queue: bool) -> Vec<Effect> {
        let mut effects = Vec::new();
        if !has_queue && std::mem::take(&mut self.abort) {
            effects.push(Effect::Request(Request::Abort, Pending::Ignored));
        }
        if let Some(clearing) =
            self.clearing.as_mut().filter(|clearing| !clearing.requested && !is_delivering)
        {
            clearing.requested = true;
            effects.push(Effect::Request(Request::ClearQueue, Pending::QueueCleared));
        }
        let clear_requested = self.clearing.as_ref().is_none_or(|clearing| clearing.requested);
        if self.abort && clear_requested {
            self.abort = false;
            effects.push(Effect::Request(Request::Abort, Pending::Ignored));
        }
        effects
    }

    /// Handles the cleared queue of the agent. Returns the changes that can be made now. Messages that were not
    /// returned were taken by the agent, which reports them soon.
    pub(in crate::session) fn cleared(&mut self, returned: &ClearedQueue) -> Vec<Change> {
        let steering = self.returned_count(Lane::Steer, &returned.steering);
        let follow_up = self.returned_count(Lane::FollowUp, &returned.follow_up);
        self.cleared_counts(steering, follow_up)
    }

    /// Handles the end of the process, and with it of its queue: everything it held can be changed.
    pub(in crate::session) fn lost(&mut self) -> Vec<Change> {
        self.agent_queue = None;
        self.cleared_counts(usize::MAX, usize::MAX)
    }

    fn cleared_counts(&mut self, steering: usize, follow_up: usize) -> Vec<Change> {
        let mut taken = Vec::new();
        for (lane, returned) in [(Lane::Steer, steering), (Lane::FollowUp, follow_up)] {
            let in_lane = self.queue.sendable().filter(|item| item.lane == lane && self.is_offered(&item.id));
            let offered: Vec<String> = in_lane.map(|item| item.id.clone()).collect();
            let count = offered.len().saturating_sub(returned);
            taken.extend(offered.into_iter().take(count));
        }
        self.offered = taken;
        self.withheld.clear();
        self.abort = false;
        self.clearing.take().unwrap_or_default().changes
    }

    /// The number of messages of a lane that were returned. An empty text does not identify a message: an agent may
    /// return one that it has taken already.
    fn returned_count(&self, lane: Lane, texts: &[String]) -> usize {
        let empty = texts.iter().filter(|text| text.is_empty()).count();
        let is_empty_offer =
            |item: &&Scheduled| item.lane == lane && item.text.is_empty() && self.is_offered(&item.id);
        let offered = self.queue.sendable().filter(is_empty_offer).count();
        texts.len() - empty + empty.min(offered)
    }

    /// Handles an agent that did not clear its queue. A stop must not fail: if the agent holds messages, only the end
    /// of its process returns them, and the stop stays pending until then. Other changes fail.
    pub(in crate::session) fn not_cleared(&mut self, agent_runs: bool) -> NotCleared {
        let changes = self.clearing.take().unwrap_or_default().changes;
        let (stops, failed): (Vec<_>, Vec<_>) =
            changes.into_iter().partition(|change| matches!(change.kind, ChangeKind::Restore { stop: true }));
        if stops.is_empty() || !agent_runs {
            return NotCleared {
                failed: failed.into_iter().chain(stops).collect(),
                made: Vec::new(),
                end_process: false,
            };
        }
        if self.has_offers() {
            self.clearing = Some(Clearing { changes: stops, requested: true });
            return NotCleared { failed, made: Vec::new(), end_process: true };
        }
        self.withheld.clear();
        self.abort = false;
        NotCleared { failed, made: stops, end_process: false }
    }

    pub(in crate::session) const fn set_agent_queue(&mut self, length: Option<QueueCounts>) {
        self.agent_queue = length;
    }

    /// Removes the scheduled message that the agent reports as taken.
    pub(in crate::session) fn match_reported(&mut self, text: &str) -> Option<Scheduled> {
        let taken = self.queue.remove_accepted(text, self.agent_queue)?;
        self.offered.retain(|offered| *offered != taken.id);
        Some(taken)
    }

    /// The messages that can be restored: all that the agent has not taken.
    pub(in crate::session) fn restorable(&self) -> (Queue, Vec<Scheduled>) {
        let items = self.queue.items().iter().filter(|item| !self.is_offered(&item.id));
        let ids: Vec<(String, u32)> = items.map(|item| (item.id.clone(), item.revision)).collect();
        let mut queue = self.queue.clone();
        let restored = ids.iter().filter_map(|(id, revision)| queue.remove(id, *revision).ok()).collect();
        (queue, restored)
    }

    /// Remembers what was restored, for a client that lost the reply.
    pub(in crate::session) fn remember_restored(&mut self, request: &str, restored: RestoredQueue) {
        if self.restored.len() >= REMEMBERED_RESTORES {
            self.restored.pop_front();
        }
        self.restored.push_back((request.to_owned(), restored));
    }

    pub(in crate::session) fn restored(&self, request: &str) -> Option<RestoredQueue> {
        self.restored.iter().find(|(known, _)| known == request).map(|(_, restored)| restored.clone())
    }
}

/// The consequences of an agent that does not clear its queue.
#[derive(Debug)]
pub(in crate::session) struct NotCleared {
    /// Changes whose clients get the agent's error.
    pub(in crate::session) failed: Vec<Change>,
    /// Changes that can be made all the same.
    pub(in crate::session) made: Vec<Change>,
    pub(in crate::session) end_process: bool,
}

#[cfg(test)]
#[path = "steering_tests.rs"]
mod tests;
