//! What is scheduled while the agent works. The queue here is the one that counts; the agent has a copy of what may
//! be sent. pi cannot change or drop one message: its queue is cleared, and what remains is given to it again. What
//! it has taken up by then is told before it confirms the clearing, so that nothing is sent twice and nothing that was
//! removed is sent at all.

use pilothouse_agents::pi::PiCommand;
use pilothouse_core::event::{Event, NoticeLevel};
use pilothouse_core::limits::GIVEN_BACK_ANSWERS;
use pilothouse_core::machine::StateEvent;
use pilothouse_core::queue::{Lane, Queue, QueueError, Scheduled, Waiting};
use pilothouse_core::ui_message::Image;
use pilothouse_core::wire::QueueEdit;
use serde_json::{Value, json};

use super::Session;
use super::prompts::check_prompt;
use super::requests::{Pending, Waiter};
use crate::store::Prompt;

/// Where the agent's copy of the queue stands.
#[derive(Debug, Default)]
pub(super) struct Copy {
    /// Ids of the messages the agent holds.
    given: Vec<String>,
    /// Ids of those it would not have: they are not offered again until they are changed, or to another process.
    refused: Vec<String>,
    /// Its queue is to be cleared; these changes are made when that is done.
    clearing: Option<Vec<Change>>,
    /// It was asked to clear it.
    asked: bool,
    /// The run is to be aborted right behind that.
    abort: bool,
    /// Who has which message in an editor: a page that goes away gives it back.
    editors: Vec<(u64, String)>,
}

impl Copy {
    /// What it would not have before is offered again: another process, or another moment.
    pub(super) fn offer_again(&mut self) {
        self.refused.clear();
    }

    pub(super) fn holds_any(&self) -> bool {
        !self.given.is_empty()
    }

    pub(super) fn taken_up(&mut self, id: &str) {
        self.given.retain(|given| given != id);
    }

    /// The agent's process is gone, and its queue with it.
    pub(super) fn lost(&mut self) -> Vec<Change> {
        self.given.clear();
        self.refused.clear();
        self.abort = false;
        self.end_clearing()
    }

    fn end_clearing(&mut self) -> Vec<Change> {
        self.asked = false;
        self.clearing.take().unwrap_or_default()
    }
}

/// A change of the queue, and who waits to hear what became of it.
#[derive(Debug)]
pub(super) struct Change {
    pub what: What,
    pub waiter: Waiter,
}

#[derive(Debug)]
pub(super) enum What {
    Edit {
        item_id: String,
        revision: u32,
        edit: QueueEdit,
    },
    Remove {
        item_id: String,
        revision: u32,
    },
    /// Everything is given back to the person.
    TakeBack,
}

impl Session {
    pub(super) fn emit_queue(&mut self) {
        self.emit(Event::QueueUpdate { items: self.view.queue.items().to_vec() });
        self.keep_queue();
    }

    pub(super) fn schedule(&mut self, mut scheduled: Scheduled) -> Result<(), QueueError> {
        scheduled.images.iter_mut().for_each(|image| self.origin.blobs.hold(image));
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
        let stops = matches!(change.what, What::TakeBack);
        match &mut self.copy.clearing {
            Some(changes) => changes.push(change),
            // A stop clears it in any case: there may be messages of extensions, or one that is on its way.
            None if self.process.is_none() || (!stops && self.copy.given.is_empty()) => {
                self.make_change(change);
                self.give_rest();
            }
            None => {
                self.copy.clearing = Some(vec![change]);
                self.clear_agents_queue();
            }
        }
    }

    /// What was given to the agent has to be in its queue before that is cleared: it takes a moment to put it there,
    /// and would give back a queue without it.
    pub(super) fn clear_agents_queue(&mut self) {
        let on_its_way = |(_, pending): &(&str, Pending)| matches!(pending, Pending::Given { .. });
        if self.copy.clearing.is_some() && !self.copy.asked && !self.pending.values().any(on_its_way) {
            self.copy.asked = true;
            self.request(PiCommand::ClearQueue, Pending::QueueCleared);
        }
        if self.copy.abort && (self.copy.asked || self.copy.clearing.is_none()) {
            self.copy.abort = false;
            self.request(PiCommand::Abort, Pending::Silent);
        }
    }

    /// Ends the run, behind the clearing of the queue: pi keeps its queue over an abort.
    pub(super) fn abort_run(&mut self) {
        self.copy.abort = true;
        self.clear_agents_queue();
        self.expect_stop();
    }

    /// The agent's queue is empty: what it gave back can be changed, and the rest is given to it again. What it did
    /// not give back it has taken up, and will tell so in a moment.
    pub(super) fn queue_cleared(&mut self, given_back: Waiting) {
        let mut on_its_way = Vec::new();
        for (lane, kept) in [(Lane::Steer, given_back.steering), (Lane::FollowUp, given_back.follow_up)] {
            let of_lane = self.view.queue.to_send().filter(|item| item.lane == lane);
            let given: Vec<String> = of_lane
                .filter(|item| self.copy.given.contains(&item.id))
                .map(|item| item.id.clone())
                .collect();
            let taken = given.len().saturating_sub(kept);
            on_its_way.extend(given.into_iter().take(taken));
        }
        let changes = self.copy.lost();
        self.copy.given = on_its_way;
        for change in changes {
            self.make_change(change);
        }
        self.give_rest();
    }

    /// The agent's process is gone, and its queue with it.
    pub(super) fn queue_lost(&mut self) {
        self.queue_cleared(Waiting { steering: usize::MAX, follow_up: usize::MAX });
    }

    /// The agent would not clear its queue: nothing is changed, and everybody is told.
    pub(super) fn queue_not_cleared(&mut self, why: &str) {
        let changes = self.copy.end_clearing();
        let (stops, others): (Vec<_>, Vec<_>) =
            changes.into_iter().partition(|change| matches!(change.what, What::TakeBack));
        others.into_iter().for_each(|change| change.waiter.respond(Err(why.to_owned())));
        if stops.is_empty() || self.process.is_none() {
            return;
        }
        // What it keeps it would send after all: only the end of its process takes that back.
        self.copy.clearing = Some(stops);
        if self.copy.given.is_empty() { self.queue_lost() } else { self.end_process() }
    }

    fn make_change(&mut self, change: Change) {
        let Change { what, waiter } = change;
        let is_gone = |id: &String| self.copy.given.contains(id);
        let outcome = match what {
            What::Edit { item_id, .. } | What::Remove { item_id, .. } if is_gone(&item_id) => {
                Err(QueueError::Gone.to_string())
            }
            What::TakeBack => {
                let answer = json!({ "restored": self.take_back() });
                return self.give_back(waiter, answer);
            }
            What::Edit { item_id, revision, edit } => {
                self.make_edit(&item_id, revision, edit, waiter.page.id())
            }
            What::Remove { item_id, revision } => match self.view.queue.remove(&item_id, revision) {
                Ok(removed) => {
                    self.forget_prompt(&removed.id);
                    Ok(Value::Null)
                }
                Err(why) => Err(why.to_string()),
            },
        };
        if outcome.is_ok() {
            self.emit_queue();
        }
        waiter.respond(outcome);
    }

    fn make_edit(&mut self, id: &str, revision: u32, edit: QueueEdit, page: u64) -> Result<Value, String> {
        let words = |why: QueueError| why.to_string();
        if let QueueEdit::Finish { text, images } = &edit {
            // On disk before it is acknowledged. It is recognised in the agent's file by its text.
            let lane = self.view.queue.under_edit(id, revision).map_err(words)?.lane;
            let edited = self.new_prompt(id.to_owned(), text.clone(), images.clone(), lane);
            self.keep_prompt(&edited)?;
        }
        let queue: &mut Queue = &mut self.view.queue;
        let changed = match edit {
            QueueEdit::Begin => queue.begin_edit(id, revision),
            QueueEdit::Cancel => queue.cancel_edit(id, revision),
            QueueEdit::Finish { text, mut images } => {
                images.iter_mut().for_each(|image| self.origin.blobs.hold(image));
                queue.finish_edit(id, revision, text, images)
            }
        };
        let changed = changed.map_err(words)?;
        let answer = json!({ "revision": changed.revision });
        let under_edit = changed.under_edit;
        self.copy.editors.retain(|(_, edited)| edited != id);
        if under_edit {
            self.copy.editors.push((page, id.to_owned()));
        }
        Ok(answer)
    }

    /// A page that is gone does not hold back what it was editing.
    pub(super) fn end_edits_of(&mut self, page: u64) {
        let (gone, kept) =
            std::mem::take(&mut self.copy.editors).into_iter().partition(|(of, _)| *of == page);
        self.copy.editors = kept;
        let gone: Vec<(u64, String)> = gone;
        let mut changed = false;
        for (_, id) in gone {
            let revision =
                self.view.queue.items().iter().find(|item| item.id == id).map(|item| item.revision);
            changed |= revision.is_some_and(|revision| self.view.queue.cancel_edit(&id, revision).is_ok());
        }
        if changed {
            self.emit_queue();
            self.give_rest();
        }
    }

    /// Gives the agent what it may have and does not hold. When it rests, that starts a run.
    pub(super) fn give_rest(&mut self) {
        if self.copy.clearing.is_some()
            || self.process.is_none()
            || self.is_stopping()
            || self.view.compacting
        {
            return;
        }
        let offered = |id: &String| self.copy.given.contains(id) || self.copy.refused.contains(id);
        let missing: Vec<Scheduled> =
            self.view.queue.to_send().filter(|item| !offered(&item.id)).cloned().collect();
        for Scheduled { id, lane, text, mut images, .. } in missing {
            if !self.machine.state().is_active() {
                self.begin_run();
            }
            images.iter_mut().for_each(|image| self.origin.blobs.give_back(image));
            self.copy.given.push(id.clone());
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
                self.copy.given.push(id);
            }
        }
    }

    /// The agent would not have a message that is scheduled: it stays in the queue, and the person hears of it.
    pub(super) fn not_given(&mut self, id: &str, why: &str) {
        self.copy.taken_up(id);
        self.copy.refused.push(id.to_owned());
        self.end_unstarted_run(StateEvent::Failed, why);
        if self.process.is_some() {
            let text = format!("A scheduled message was not taken by the agent: {why}");
            self.emit(Event::Notice { level: NoticeLevel::Warning, text });
        }
    }

    /// Gives everything back that is scheduled. What the agent takes up before it hears of it is not among it. Asked
    /// again after a lost connection, it gives the same answer.
    pub(super) fn clear_queue(&mut self, waiter: Waiter) {
        if let Some((_, known)) = self.given_back.iter().find(|(request, _)| *request == waiter.request) {
            return waiter.respond(Ok(known.clone()));
        }
        let asked =
            self.copy.clearing.iter_mut().flatten().find(|known| known.waiter.request == waiter.request);
        match asked {
            Some(asked) => asked.waiter = waiter,
            None => self.change_queue(Change { what: What::TakeBack, waiter }),
        }
    }

    /// In order, with its pictures.
    fn take_back(&mut self) -> Vec<Scheduled> {
        let items = self.view.queue.items().iter().filter(|item| !self.copy.given.contains(&item.id));
        let taken: Vec<(String, u32)> = items.map(|item| (item.id.clone(), item.revision)).collect();
        let restored: Vec<Scheduled> =
            taken.iter().filter_map(|(id, revision)| self.view.queue.remove(id, *revision).ok()).collect();
        tracing::debug!(session = %self.origin.id, messages = restored.len(), "the queue is given back");
        if !restored.is_empty() {
            self.copy.editors.clear();
            self.hub.take_back(&self.origin.id, &restored, &self.queue_to_keep());
            self.emit_queue();
        }
        restored
    }

    fn give_back(&mut self, waiter: Waiter, answer: Value) {
        if self.given_back.len() >= GIVEN_BACK_ANSWERS {
            self.given_back.pop_front();
        }
        self.given_back.push_back((waiter.request.clone(), answer.clone()));
        waiter.respond(Ok(answer));
    }

    /// The queue with the data of its pictures, as it is kept over a restart.
    pub(super) fn queue_to_keep(&self) -> Vec<Scheduled> {
        let mut items = self.view.queue.items().to_vec();
        let images = items.iter_mut().flat_map(|item| item.images.iter_mut());
        images.for_each(|image: &mut Image| self.origin.blobs.give_back(image));
        items
    }
}
