//! Scheduled messages that are being edited in this page, with their unsaved text. Edits survive switching sessions.

use leptos::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueEdit {
    pub session_id: String,
    pub item_id: String,
    /// The text when editing began.
    pub before: String,
    pub text: String,
}

#[derive(Clone, Copy, Default)]
pub struct QueueEdits(RwSignal<Vec<QueueEdit>>);

impl QueueEdits {
    pub fn is_open(&self, session_id: &str, item_id: &str) -> bool {
        self.0.with(|edits| edits.iter().any(|edit| edit.matches(session_id, item_id)))
    }

    pub fn of(&self, session_id: &str, item_id: &str) -> Option<QueueEdit> {
        self.0.with_untracked(|edits| edits.iter().find(|edit| edit.matches(session_id, item_id)).cloned())
    }

    pub fn begin(&self, session_id: &str, item_id: &str, text: String) {
        if self.of(session_id, item_id).is_none() {
            let (session_id, item_id) = (session_id.to_owned(), item_id.to_owned());
            self.0.update(|edits| edits.push(QueueEdit { session_id, item_id, before: text.clone(), text }));
        }
    }

    /// Stores the typed text without notifying: the field shows it already.
    pub fn write(&self, session_id: &str, item_id: &str, text: String) {
        self.0.update_untracked(|edits| {
            if let Some(edit) = edits.iter_mut().find(|edit| edit.matches(session_id, item_id)) {
                edit.text = text;
            }
        });
    }

    pub fn end(&self, session_id: &str, item_id: &str) {
        self.0.update(|edits| edits.retain(|edit| !edit.matches(session_id, item_id)));
    }

    /// Removes and returns a session's edits whose messages are no longer scheduled.
    pub fn take_orphans(&self, session_id: &str, scheduled: impl Fn(&str) -> bool) -> Vec<QueueEdit> {
        let orphan = |edit: &QueueEdit| edit.session_id == session_id && !scheduled(&edit.item_id);
        if !self.0.with_untracked(|edits| edits.iter().any(orphan)) {
            return Vec::new();
        }
        let (orphans, kept) = self.0.get_untracked().into_iter().partition(orphan);
        self.0.set(kept);
        orphans
    }
}

impl QueueEdit {
    fn matches(&self, session_id: &str, item_id: &str) -> bool {
        self.item_id == item_id && self.session_id == session_id
    }
}
