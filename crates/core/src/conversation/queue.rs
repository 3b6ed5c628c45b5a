//! The queue of messages that the user schedules while an agent works: two lanes, each in sending order. The
//! server owns the queue, so every client shows the same one.
//!
//! A change names the revision of the item that the client saw. If the item has changed since, or no longer
//! exists, the change is refused and has no effect. An item is not sent while it is being edited.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::conversation::ui_message::Image;
use crate::json::FromJson;
use crate::limits::SCHEDULED_MESSAGES;

/// A scheduled message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct Scheduled {
    /// The client id of the prompt.
    pub id: String,
    pub lane: Lane,
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// The number of changes of this item so far.
    #[serde(default)]
    pub revision: u32,
    /// A client is editing the message.
    #[serde(default)]
    pub under_edit: bool,
}

/// When the agent accepts a scheduled message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub enum Lane {
    /// Between two turns of the run.
    #[default]
    #[serde(rename = "steer")]
    Steer,
    /// After the run.
    #[serde(rename = "followUp")]
    FollowUp,
}

impl Lane {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Steer => "steer",
            Self::FollowUp => "follow-up",
        }
    }
}

/// The number of messages in each lane of the agent's own queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueCounts {
    pub steering: usize,
    pub follow_up: usize,
}

/// Why a change of the queue was refused. The message is shown to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum QueueError {
    #[error("The queue is full. Try again after a message is sent.")]
    Full,
    #[error("This message is already queued.")]
    Known,
    #[error("This message is no longer queued. It was sent or removed.")]
    Gone,
    #[error("This message was changed elsewhere. Check it and try again.")]
    Changed,
    #[error("This message is not being edited.")]
    NotUnderEdit,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(transparent)]
pub struct Queue {
    items: Vec<Scheduled>,
}

impl Queue {
    pub fn items(&self) -> &[Scheduled] {
        &self.items
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.items.len() >= SCHEDULED_MESSAGES
    }

    pub fn contains(&self, id: &str) -> bool {
        self.items.iter().any(|item| item.id == id)
    }

    /// Replaces the items with those from the server.
    pub fn replace(&mut self, items: Vec<Scheduled>) {
        self.items = items;
    }

    pub fn schedule(&mut self, item: Scheduled) -> Result<(), QueueError> {
        if self.contains(&item.id) {
            return Err(QueueError::Known);
        }
        if self.is_full() {
            return Err(QueueError::Full);
        }
        self.items.push(item);
        Ok(())
    }

    /// Begins an edit. The item is not sent until the edit is finished or cancelled.
    pub fn begin_edit(&mut self, id: &str, revision: u32) -> Result<&Scheduled, QueueError> {
        self.change(id, revision, |item| item.under_edit = true)
    }

    /// The item, if an edit of this revision could be finished.
    pub fn item_under_edit(&self, id: &str, revision: u32) -> Result<&Scheduled, QueueError> {
        self.ensure_under_edit(id)?;
        let item = &self.items[self.position(id)?];
        if item.revision == revision { Ok(item) } else { Err(QueueError::Changed) }
    }

    pub fn finish_edit(
        &mut self,
        id: &str,
        revision: u32,
        text: String,
        images: Vec<Image>,
    ) -> Result<&Scheduled, QueueError> {
        self.ensure_under_edit(id)?;
        self.change(id, revision, |item| {
            item.text = text;
            item.images = images;
            item.under_edit = false;
        })
    }

    pub fn cancel_edit(&mut self, id: &str, revision: u32) -> Result<&Scheduled, QueueError> {
        self.ensure_under_edit(id)?;
        self.change(id, revision, |item| item.under_edit = false)
    }

    pub fn remove(&mut self, id: &str, revision: u32) -> Result<Scheduled, QueueError> {
        let position = self.position(id)?;
        if self.items[position].revision != revision {
            return Err(QueueError::Changed);
        }
        Ok(self.items.remove(position))
    }

    /// Removes an item that the agent refused, without checking its revision. Returns whether it was scheduled.
    pub fn discard(&mut self, id: &str) -> bool {
        let before = self.items.len();
        self.items.retain(|item| item.id != id);
        self.items.len() != before
    }

    /// The items that the agent should have in its queue, in order.
    pub fn sendable(&self) -> impl Iterator<Item = &Scheduled> {
        self.items.iter().filter(|item| !item.under_edit)
    }

    /// Removes and returns the item that the agent has just accepted, given the text of the accepted message and
    /// the items that remain in the agent's queue, if it reports them.
    ///
    /// The text alone does not identify an item: templates change it, a message of images has none, and two items
    /// may have the same. If `remaining` is known, the item is in the lane that became shorter; within the lane an
    /// item with the same text is preferred to the first. Otherwise it is the first item, and the text decides
    /// between the lanes.
    pub fn remove_accepted(&mut self, text: &str, remaining: Option<QueueCounts>) -> Option<Scheduled> {
        let count = |lane| self.sendable().filter(|item| item.lane == lane).count();
        let first = |fits: &dyn Fn(&Scheduled) -> bool| {
            self.items.iter().position(|item| !item.under_edit && fits(item))
        };
        let best_in = |lane| {
            let same = first(&|item| item.lane == lane && item.text == text);
            same.or_else(|| first(&|item| item.lane == lane))
        };
        let position = match remaining {
            Some(remaining) if count(Lane::Steer) > remaining.steering => best_in(Lane::Steer),
            Some(remaining) if count(Lane::FollowUp) > remaining.follow_up => best_in(Lane::FollowUp),
            // pi keeps counting an accepted message without text, so no lane became shorter.
            Some(_) => first(&|item| item.text == text),
            None => match (best_in(Lane::Steer), best_in(Lane::FollowUp)) {
                (Some(steer), Some(follow_up)) if self.items[steer].text != text => {
                    Some(if self.items[follow_up].text == text { follow_up } else { steer })
                }
                (steer, follow_up) => steer.or(follow_up),
            },
        };
        position.map(|position| self.items.remove(position))
    }

    fn change(
        &mut self,
        id: &str,
        revision: u32,
        change: impl FnOnce(&mut Scheduled),
    ) -> Result<&Scheduled, QueueError> {
        let position = self.position(id)?;
        let item = &mut self.items[position];
        if item.revision != revision {
            return Err(QueueError::Changed);
        }
        change(item);
        item.revision = item.revision.wrapping_add(1);
        Ok(item)
    }

    fn ensure_under_edit(&self, id: &str) -> Result<(), QueueError> {
        let under_edit = self.items[self.position(id)?].under_edit;
        under_edit.then_some(()).ok_or(QueueError::NotUnderEdit)
    }

    fn position(&self, id: &str) -> Result<usize, QueueError> {
        self.items.iter().position(|item| item.id == id).ok_or(QueueError::Gone)
    }
}

/// The editor's text after "Restore to editor": the restored texts in order, then the current draft.
pub fn restored_text<'a>(texts: impl IntoIterator<Item = &'a str>, draft: &'a str) -> String {
    let all = texts.into_iter().chain([draft]).filter(|text| !text.trim().is_empty());
    all.collect::<Vec<&str>>().join("\n\n")
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
