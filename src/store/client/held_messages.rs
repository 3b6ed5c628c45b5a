//! Messages that are sent once another program has finished. They stay drafts: here is only which draft it was. They
//! survive a reload and end with the tab, so that two tabs never send the same message.

use leptos::prelude::*;

use crate::browser::session_storage;

const KEY: &str = "held";

/// The sessions with a held message, and its text.
#[derive(Clone, Copy)]
pub struct HeldMessages(RwSignal<Vec<(String, String)>>);

impl Default for HeldMessages {
    fn default() -> Self {
        let saved = session_storage::get(KEY).and_then(|saved| serde_json::from_str(&saved).ok());
        Self(RwSignal::new(saved.unwrap_or_default()))
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
        let saved = self.0.with_untracked(|held| match held.is_empty() {
            true => String::new(),
            false => serde_json::json!(held).to_string(),
        });
        session_storage::set(KEY, &saved);
    }
}
