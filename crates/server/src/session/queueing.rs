//! What is scheduled while the agent works. The queue here is the one that counts; the agent has a copy of what may
//! be sent. pi cannot change or drop one message: its queue is cleared, and what remains is given to it again. How many
//! it gives back tells what it has taken up by then, so that nothing is sent twice and nothing that was removed is sent
//! at all.

use pilothouse_agents::pi::PiCommand;
use pilothouse_core::conversation::queue::{Lane, QueueCounts, QueueError, Scheduled};
use pilothouse_core::conversation::ui_message::Image;
use pilothouse_core::protocol::QueueEdit;
use pilothouse_core::protocol::event::{Event, NoticeLevel};
use pilothouse_core::session::machine::StateEvent;
use serde_json::Value;

use super::Session;
use super::prompts::check_prompt;
use super::queue_changes::{Change, What};
use super::requests::Pending;
use crate::store::Prompt;

impl Session {
    pub(super) fn emit_queue(&mut self) {
        self.emit(Event::QueueUpdate { items: self.view.queue.items().to_vec() });
        self.keep_queue();
        let waiting = self.view.queue.items().iter().flat_map(|item| &item.images);
        self.origin.blobs.retain_only(waiting.map(|image| image.blob.as_str()));
    }

    pub(super) fn schedule(&mut self, mut scheduled: Scheduled) -> Result<(), QueueError> {
        scheduled.images.iter_mut().for_each(|image| self.origin.blobs.retain(image));
        self.view.queue.schedule(scheduled)?;
        self.emit_queue();
        Ok(())
    }

    pub(super) fn change_queue(&mut self, mut change: Change) {
        if let What::Edit { edit: QueueEdit::Finish { text, images }, .. } = &mut change.what {
            let checked = self.with_data(std::mem::take(images)).and_then(|whole| {
                check_prompt(text, &whole)?;
                *images = whole;
                Ok(())
            });
            if let Err(why) = checked {
                return change.waiter.respond(Err(why));
            }
        }
        let stops = matches!(change.what, What::TakeBack { .. });
        match &mut self.agents_copy.clearing {
            Some(changes) => changes.push(change),
            // A stop clears it in any case: there may be messages of extensions, or one that is on its way.
            None if self.process.is_none() || (!stops && self.agents_copy.given.is_empty()) => {
                self.make_change(change);
                self.give_rest();
            }
            None => {
                self.agents_copy.clearing = Some(vec![change]);
                self.clear_agents_queue();
            }
        }
    }

    /// What was given to the agent has to be in its queue before that is cleared: it takes a moment to put it there,
    /// and would give back a queue without it.
    pub(super) fn clear_agents_queue(&mut self) {
        let on_its_way = |(_, pending): &(&str, Pending)| matches!(pending, Pending::Given { .. });
        if self.agents_copy.clearing.is_some()
            && !self.agents_copy.asked
            && !self.pending.values().any(on_its_way)
        {
            self.agents_copy.asked = true;
            self.request(PiCommand::ClearQueue, Pending::QueueCleared);
        }
        if self.agents_copy.abort && (self.agents_copy.asked || self.agents_copy.clearing.is_none()) {
            self.agents_copy.abort = false;
            self.request(PiCommand::Abort, Pending::Silent);
        }
    }

    /// Takes the agent's copy back and gives it again: at rest, that makes it go on.
    pub(super) fn give_all_again(&mut self) {
        if self.agents_copy.clearing.is_none() && self.agents_copy.holds_any() {
            self.agents_copy.clearing = Some(Vec::new());
            self.clear_agents_queue();
        }
    }

    /// Ends the run, behind the clearing of the queue: pi keeps its queue over an abort.
    pub(super) fn abort_run(&mut self) {
        self.agents_copy.abort = true;
        self.clear_agents_queue();
        self.expect_stop();
    }

    /// The agent's queue is empty: what it gave back can be changed, and the rest is given to it again. What it did
    /// not give back it has taken up, and will tell so in a moment.
    pub(super) fn queue_cleared(&mut self, given_back: QueueCounts) {
        let mut on_its_way = Vec::new();
        for (lane, kept) in [(Lane::Steer, given_back.steering), (Lane::FollowUp, given_back.follow_up)] {
            let of_lane = self.view.queue.sendable().filter(|item| item.lane == lane);
            let given: Vec<String> = of_lane
                .filter(|item| self.agents_copy.given.contains(&item.id))
                .map(|item| item.id.clone())
                .collect();
            let taken = given.len().saturating_sub(kept);
            on_its_way.extend(given.into_iter().take(taken));
        }
        let changes = self.agents_copy.lost();
        self.agents_copy.given = on_its_way;
        for change in changes {
            self.make_change(change);
        }
        self.give_rest();
    }

    /// How many of a lane the agent has given back. pi gives one without words back even if it was taken up.
    pub(super) fn given_back_of(&self, lane: Lane, texts: Option<&Value>) -> usize {
        let texts = || texts.and_then(Value::as_array).into_iter().flatten();
        let wordless = texts().filter(|text| text.as_str() == Some("")).count();
        let held = self.view.queue.sendable().filter(|item| item.lane == lane && item.text.is_empty());
        let held = held.filter(|item| self.agents_copy.given.contains(&item.id)).count();
        texts().count() - wordless + wordless.min(held)
    }

    /// The agent's process is gone, and its queue with it.
    pub(super) fn queue_lost(&mut self) {
        self.queue_cleared(QueueCounts { steering: usize::MAX, follow_up: usize::MAX });
    }

    /// The agent would not clear its queue: nothing is changed, and everybody is told.
    pub(super) fn queue_not_cleared(&mut self, why: &str) {
        let changes = self.agents_copy.end_clearing();
        let (stops, others): (Vec<_>, Vec<_>) =
            changes.into_iter().partition(|change| matches!(change.what, What::TakeBack { stop: true }));
        others.into_iter().for_each(|change| change.waiter.respond(Err(why.to_owned())));
        if stops.is_empty() || self.process.is_none() {
            // What was scheduled meanwhile is still to be given.
            return self.give_rest();
        }
        // What it keeps it would send after all: only the end of its process takes that back.
        self.agents_copy.clearing = Some(stops);
        if self.agents_copy.given.is_empty() { self.queue_lost() } else { self.end_process() }
    }

    /// Gives the agent what it may have and does not hold. When it rests, that starts a run.
    pub(super) fn give_rest(&mut self) {
        if self.agents_copy.clearing.is_some()
            || self.process.is_none()
            || self.is_stopping()
            || self.view.compacting
        {
            return;
        }
        let offered =
            |id: &String| self.agents_copy.given.contains(id) || self.agents_copy.refused.contains(id);
        let missing: Vec<Scheduled> =
            self.view.queue.sendable().filter(|item| !offered(&item.id)).cloned().collect();
        for Scheduled { id, lane, text, mut images, .. } in missing {
            if !self.machine.state().is_active() {
                self.begin_run();
            }
            images.iter_mut().for_each(|image| self.origin.blobs.restore_data(image));
            self.agents_copy.given.push(id.clone());
            self.request(PiCommand::Prompt { message: text, images, lane }, Pending::Given { id });
        }
    }

    /// A prompt that was to start a run came while one was under way after all.
    pub(super) fn was_queued(&mut self, client_id: &str) {
        let Some(place) = self.starting.iter().position(|prompt| prompt.client_id == client_id) else {
            return;
        };
        if let Some(Prompt { client_id: id, text, images, lane, .. }) = self.starting.remove(place) {
            let item = Scheduled { id: id.clone(), lane, text, images, ..Scheduled::default() };
            if self.schedule(item).is_ok() {
                self.agents_copy.given.push(id);
            }
        }
    }

    /// The agent would not have a message that is scheduled: it stays in the queue, and the person hears of it.
    pub(super) fn not_given(&mut self, id: &str, why: &str) {
        self.agents_copy.taken_up(id);
        self.agents_copy.refused.push(id.to_owned());
        self.end_unstarted_run(StateEvent::Failed, why);
        if self.process.is_some() {
            let text = format!("A scheduled message was not taken by the agent: {why}");
            self.emit(Event::Notice { level: NoticeLevel::Warning, text });
        }
    }

    /// The queue with the data of its pictures, as it is kept over a restart.
    pub(super) fn queue_to_keep(&self) -> Vec<Scheduled> {
        let mut items = self.view.queue.items().to_vec();
        let images = items.iter_mut().flat_map(|item| item.images.iter_mut());
        images.for_each(|image: &mut Image| self.origin.blobs.restore_data(image));
        items
    }
}
