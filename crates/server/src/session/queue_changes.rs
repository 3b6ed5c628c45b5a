//! Changes of what is scheduled: one message is edited or removed, or everything is given back. Each gets one answer,
//! and is on disk before that.

use pilothouse_core::conversation::queue::{Queue, QueueError, Scheduled};
use pilothouse_core::limits::REMEMBERED_RESTORES;
use pilothouse_core::protocol::QueueEdit;
use serde_json::{Value, json};

use super::Session;
use super::requests::Waiter;

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
    /// Everything is given back to the person, by a stop or because they asked for it.
    TakeBack {
        stop: bool,
    },
}

impl Session {
    pub(super) fn make_change(&mut self, change: Change) {
        let Change { what, waiter } = change;
        let is_gone = |id: &String| self.agents_copy.given.contains(id);
        let outcome = match what {
            What::Edit { item_id, .. } | What::Remove { item_id, .. } if is_gone(&item_id) => {
                Err(QueueError::Gone.to_string())
            }
            What::TakeBack { .. } => {
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
            let lane = self.view.queue.item_under_edit(id, revision).map_err(words)?.lane;
            let edited = self.new_prompt(id.to_owned(), text.clone(), images.clone(), lane);
            self.keep_prompt(&edited)?;
        }
        let queue: &mut Queue = &mut self.view.queue;
        let changed = match edit {
            QueueEdit::Begin => queue.begin_edit(id, revision),
            QueueEdit::Cancel => queue.cancel_edit(id, revision),
            QueueEdit::Finish { text, mut images } => {
                images.iter_mut().for_each(|image| self.origin.blobs.retain(image));
                self.agents_copy.refused.retain(|refused| refused != id);
                queue.finish_edit(id, revision, text, images)
            }
        };
        let changed = changed.map_err(words)?;
        let answer = json!({ "revision": changed.revision });
        let under_edit = changed.under_edit;
        self.agents_copy.editors.retain(|(_, edited)| edited != id);
        if under_edit {
            self.agents_copy.editors.push((page, id.to_owned()));
        }
        Ok(answer)
    }

    /// A page that is gone does not hold back what it was editing.
    pub(super) fn end_edits_of(&mut self, page: u64) {
        let begins = |change: &Change| {
            change.waiter.page.id() == page
                && matches!(change.what, What::Edit { edit: QueueEdit::Begin, .. })
        };
        self.agents_copy.clearing.iter_mut().for_each(|changes| changes.retain(|change| !begins(change)));
        let (gone, kept) =
            std::mem::take(&mut self.agents_copy.editors).into_iter().partition(|(of, _)| *of == page);
        self.agents_copy.editors = kept;
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

    /// Gives everything back that is scheduled. What the agent takes up before it hears of it is not among it. Asked
    /// again after a lost connection, it gives the same answer.
    pub(super) fn clear_queue(&mut self, waiter: Waiter, stop: bool) {
        if let Some((_, known)) = self.given_back.iter().find(|(request, _)| *request == waiter.request) {
            return waiter.respond(Ok(known.clone()));
        }
        let asked = self
            .agents_copy
            .clearing
            .iter_mut()
            .flatten()
            .find(|known| known.waiter.request == waiter.request);
        match asked {
            Some(asked) => asked.waiter = waiter,
            None => self.change_queue(Change { what: What::TakeBack { stop }, waiter }),
        }
    }

    /// In order, with its pictures.
    fn take_back(&mut self) -> Vec<Scheduled> {
        let items = self.view.queue.items().iter().filter(|item| !self.agents_copy.given.contains(&item.id));
        let taken: Vec<(String, u32)> = items.map(|item| (item.id.clone(), item.revision)).collect();
        let restored: Vec<Scheduled> =
            taken.iter().filter_map(|(id, revision)| self.view.queue.remove(id, *revision).ok()).collect();
        tracing::debug!(session = %self.origin.id, messages = restored.len(), "the queue is given back");
        if !restored.is_empty() {
            self.agents_copy.editors.clear();
            self.hub.take_back(&self.origin.id, &restored, &self.queue_to_keep());
            self.emit_queue();
        }
        restored
    }

    fn give_back(&mut self, waiter: Waiter, answer: Value) {
        if self.given_back.len() >= REMEMBERED_RESTORES {
            self.given_back.pop_front();
        }
        self.given_back.push_back((waiter.request.clone(), answer.clone()));
        waiter.respond(Ok(answer));
    }
}
