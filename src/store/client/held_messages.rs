//! Messages that are sent once another program has finished. They stay drafts: here is only which draft it was. They
//! survive a reload and end with the tab, so that two tabs never send the same message.

use leptos::prelude::*;

use crate::browser::session_storage;

const KEY: &str = "held";

/// Between the ids and the texts in storage. A text with it is not restored after a reload.
const SEPARATOR: char = '\0';

/// The sessions with a held message, and its text.
#[derive(Clone, Copy)]
pub struct HeldMessages(RwSignal<Vec<(String, String)>>);

impl Default for HeldMessages {
    fn default() -> Self {
        let saved = session_storage::get(KEY).unwrap_or_default();
        let mut parts = saved.split(SEPARATOR);
        let mut held = Vec::new();
        while let (Some(id), Some(text)) = (parts.next(), parts.next()) {
            held.push((id.to_owned(), text.to_owned()));
        }
        Self(RwSignal::new(held))
    }
}

impl HeldMessages {
    pub fn hold(&self, session_id: &str, text: String) {
        self.change(|held| {
            held.retain(|(id, _)| id != session_id);
            held.push((session_id.to_owned(), text));
        });
    }

    pub fn release(&self, session_id: &str) {
        if untrack(|| self.text_of(session_id)).is_some() {
            self.change(|held| held.retain(|(id, _)| id != session_id));
        }
    }

    /// Tracked.
    pub fn text_of(&self, session_id: &str) -> Option<String> {
        self.0.with(|held| held.iter().find(|(id, _)| id == session_id).map(|(_, text)| text.clone()))
    }

    /// Tracked.
    pub fn sessions(&self) -> Vec<String> {
        self.0.with(|held| held.iter().map(|(id, _)| id.clone()).collect())
    }

    fn change(&self, change: impl FnOnce(&mut Vec<(String, String)>)) {
        self.0.update(change);
        let mut saved = String::new();
        self.0.with_untracked(|held| {
            for part in held.iter().flat_map(|(id, text)| [id, text]) {
                if !saved.is_empty() {
                    saved.push(SEPARATOR);
                }
                saved.push_str(part);
            }
        });
        session_storage::set(KEY, &saved);
    }
}
