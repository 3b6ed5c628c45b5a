//! Messages scheduled while an agent works: two lanes, in the order they were sent. The server owns the queue; every
//! page shows the same one.
//!
//! Whoever changes an item says which revision of it they saw. If it has changed since, or is gone, they are refused
//! and nothing happens. An item under edit is not sent; a removed one never is.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::conversation::ui_message::Image;
use crate::json::{Readable, readable, readable_names};
use crate::limits::SCHEDULED_MESSAGES;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scheduled {
    /// The client id of the prompt.
    pub id: String,
    pub lane: Lane,
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// Counts the changes of this item.
    #[serde(default)]
    pub revision: u32,
    /// Somebody has it in their editor.
    #[serde(default)]
    pub under_edit: bool,
}

readable!(Scheduled {
    id "id", lane "lane", text "text"; images "images", revision "revision", under_edit "under_edit",
});

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Lane {
    /// Taken up between two turns of the run.
    #[default]
    #[serde(rename = "steer")]
    Steer,
    /// Taken up when the run is over.
    #[serde(rename = "followUp")]
    FollowUp,
}

readable_names!(Lane { "steer" Steer, "followUp" FollowUp });

impl Lane {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Steer => "steer",
            Self::FollowUp => "follow-up",
        }
    }
}

/// How many messages still wait on the agent's side, as it tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    pub steering: usize,
    pub follow_up: usize,
}

/// Why a change of the queue was refused, in words for the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum QueueError {
    #[error("Too many messages are waiting already.")]
    Full,
    #[error("This message is scheduled already.")]
    Known,
    #[error("This message is no longer scheduled: it was sent or removed in the meantime.")]
    Gone,
    #[error("This message has been changed in the meantime.")]
    Changed,
    #[error("Nobody is editing this message.")]
    NotUnderEdit,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Queue {
    items: Vec<Scheduled>,
}

impl Readable for Queue {
    fn read(value: Value) -> Option<Self> {
        Some(Self { items: Readable::read(value)? })
    }
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

    /// The list as the server tells it.
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

    /// Takes an item into an editor: until that is over it is not sent.
    pub fn begin_edit(&mut self, id: &str, revision: u32) -> Result<&Scheduled, QueueError> {
        self.change(id, revision, |item| item.under_edit = true)
    }

    /// The item as it is, if this edit of it could be finished.
    pub fn under_edit(&self, id: &str, revision: u32) -> Result<&Scheduled, QueueError> {
        self.must_be_under_edit(id)?;
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
        self.must_be_under_edit(id)?;
        self.change(id, revision, |item| {
            item.text = text;
            item.images = images;
            item.under_edit = false;
        })
    }

    pub fn cancel_edit(&mut self, id: &str, revision: u32) -> Result<&Scheduled, QueueError> {
        self.must_be_under_edit(id)?;
        self.change(id, revision, |item| item.under_edit = false)
    }

    pub fn remove(&mut self, id: &str, revision: u32) -> Result<Scheduled, QueueError> {
        let position = self.position(id)?;
        if self.items[position].revision != revision {
            return Err(QueueError::Changed);
        }
        Ok(self.items.remove(position))
    }

    /// The agent would not have it.
    pub fn forget(&mut self, id: &str) -> bool {
        let before = self.items.len();
        self.items.retain(|item| item.id != id);
        self.items.len() != before
    }

    /// Takes everything back, in order.
    pub fn restore(&mut self) -> Vec<Scheduled> {
        std::mem::take(&mut self.items)
    }

    /// What the agent is to have, in order.
    pub fn to_send(&self) -> impl Iterator<Item = &Scheduled> {
        self.items.iter().filter(|item| !item.under_edit)
    }

    /// Finds the scheduled message that the agent has just taken up, and takes it out.
    ///
    /// If the agent tells what still waits, the lane that became shorter tells, in it the text, else the first.
    /// Otherwise the first in the queue is meant, and only where both lanes wait does the text decide between them:
    /// templates change it, images have none, and two messages may have the same.
    pub fn take_up(&mut self, text: &str, waiting: Option<Waiting>) -> Option<Scheduled> {
        let count = |lane| self.to_send().filter(|item| item.lane == lane).count();
        let first = |fits: &dyn Fn(&Scheduled) -> bool| {
            self.items.iter().position(|item| !item.under_edit && fits(item))
        };
        // Its own text names a message best; a template changed it where none has it.
        let of = |lane| {
            let same = first(&|item| item.lane == lane && item.text == text);
            same.or_else(|| first(&|item| item.lane == lane))
        };
        let position = match waiting {
            Some(waiting) if count(Lane::Steer) > waiting.steering => of(Lane::Steer),
            Some(waiting) if count(Lane::FollowUp) > waiting.follow_up => of(Lane::FollowUp),
            // pi does not count one that has no words as taken: then its text tells.
            Some(_) => first(&|item| item.text == text),
            None => match (of(Lane::Steer), of(Lane::FollowUp)) {
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

    fn must_be_under_edit(&self, id: &str) -> Result<(), QueueError> {
        let under_edit = self.items[self.position(id)?].under_edit;
        under_edit.then_some(()).ok_or(QueueError::NotUnderEdit)
    }

    fn position(&self, id: &str) -> Result<usize, QueueError> {
        self.items.iter().position(|item| item.id == id).ok_or(QueueError::Gone)
    }
}

/// "Restore to editor": the messages in order, before what is being typed, with all their images.
pub fn restored_draft(items: Vec<Scheduled>, draft: &str) -> (String, Vec<Image>) {
    let text = restored_text(items.iter().map(|item| item.text.as_str()), draft);
    (text, items.into_iter().flat_map(|item| item.images).collect())
}

/// Texts that come back to the editor, before what is being typed there.
pub fn restored_text<'a>(texts: impl IntoIterator<Item = &'a str>, draft: &'a str) -> String {
    let all = texts.into_iter().chain([draft]).filter(|text| !text.trim().is_empty());
    all.collect::<Vec<&str>>().join("\n\n")
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
