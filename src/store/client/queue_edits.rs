//! Scheduled messages that this page has in its editor, with what was written so far. Survive a look at another
//! session.

use leptos::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueEdit {
    pub session_id: String,
    pub item_id: String,
    /// As it was when the editing began.
    pub before: String,
    pub text: String,
}

#[derive(Clone, Copy, Default)]
pub struct QueueEdits(RwSignal<Vec<QueueEdit>>);

impl QueueEdits {
    pub fn is_open(&self, session_id: &str, item_id: &str) -> bool {
        self.0.with(|edits| edits.iter().any(|edit| edit.is(session_id, item_id)))
    }

    pub fn of(&self, session_id: &str, item_id: &str) -> Option<QueueEdit> {
        self.0.with_untracked(|edits| edits.iter().find(|edit| edit.is(session_id, item_id)).cloned())
    }

    pub fn begin(&self, session_id: &str, item_id: &str, text: String) {
        if self.of(session_id, item_id).is_none() {
            let (session_id, item_id) = (session_id.to_owned(), item_id.to_owned());
            self.0.update(|edits| edits.push(QueueEdit { session_id, item_id, before: text.clone(), text }));
        }
    }

    /// What was typed; nobody is told, since it stands in the field already.
    pub fn write(&self, session_id: &str, item_id: &str, text: String) {
        self.0.update_untracked(|edits| {
            if let Some(edit) = edits.iter_mut().find(|edit| edit.is(session_id, item_id)) {
                edit.text = text;
            }
        });
    }

    pub fn end(&self, session_id: &str, item_id: &str) {
        self.0.update(|edits| edits.retain(|edit| !edit.is(session_id, item_id)));
    }

    /// Takes out those of a session whose message is no longer scheduled.
    pub fn take_orphans(&self, session_id: &str, scheduled: impl Fn(&str) -> bool) -> Vec<QueueEdit> {
        let orphan = |edit: &QueueEdit| edit.session_id == session_id && !scheduled(&edit.item_id);
        if !self.0.with_untracked(|edits| edits.iter().any(orphan)) {
            return Vec::new();
        }
        let (gone, kept) = self.0.get_untracked().into_iter().partition(orphan);
        self.0.set(kept);
        gone
    }
}

impl QueueEdit {
    fn is(&self, session_id: &str, item_id: &str) -> bool {
        self.item_id == item_id && self.session_id == session_id
    }
}
