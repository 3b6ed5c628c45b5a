//! Unsent answers to the agent's questions. A question that is shown in several places has one draft. Drafts are stored
//! in the tab, so that they survive switching sessions and reloading, and are never sent to the server.

use std::cell::RefCell;

use leptos::prelude::*;

use crate::browser::session_storage;

/// Starts every stored draft, to distinguish an emptied draft from a missing one: storing an empty string removes the key.
const PREFIX: char = '=';

thread_local! {
    /// The drafts of all open questions that were shown, by key.
    static DRAFTS: RefCell<Vec<(String, ArcRwSignal<String>)>> = const { RefCell::new(Vec::new()) };
}

pub struct AnswerDraft {
    key: String,
    text: ArcRwSignal<String>,
}

impl AnswerDraft {
    /// Returns the stored draft, or a new one with the question's prefilled text.
    pub fn of(session_id: &str, ask_id: &str, prefill: &str) -> Self {
        let key = format!("pilothouse.answer.{session_id}.{ask_id}");
        let text = DRAFTS.with_borrow_mut(|drafts| {
            if let Some((_, text)) = drafts.iter().find(|(known, _)| *known == key) {
                return text.clone();
            }
            let stored =
                session_storage::get(&key).and_then(|stored| stored.strip_prefix(PREFIX).map(String::from));
            let text = ArcRwSignal::new(stored.unwrap_or_else(|| prefill.to_owned()));
            drafts.push((key.clone(), text.clone()));
            text
        });
        Self { key, text }
    }

    pub fn text(&self) -> RwSignal<String> {
        self.text.clone().into()
    }

    pub fn set(&self, text: String) {
        self.text.set(text);
        self.save();
    }

    pub fn save(&self) {
        self.text.with_untracked(|text| session_storage::set(&self.key, &format!("{PREFIX}{text}")));
    }

    /// Discards the draft once the answer was sent: a later question may reuse the id.
    pub fn discard(&self) {
        DRAFTS.with_borrow_mut(|drafts| drafts.retain(|(key, _)| *key != self.key));
        session_storage::remove(&self.key);
    }
}
