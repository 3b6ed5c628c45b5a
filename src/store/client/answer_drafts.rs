//! Unsent answers to the agent's questions. A question that is shown in several places has one draft. Drafts
//! are stored in the tab, so that they survive switching sessions and reloading, and are never sent to the
//! server.

use leptos::prelude::*;

use crate::browser::session_storage;

/// Starts every stored draft, to distinguish an emptied draft from a missing one: storing an empty string
/// removes the key.
const PREFIX: char = '=';

/// The drafts of all open questions that were shown, by key.
#[derive(Clone, Copy, Default)]
pub struct AnswerDrafts(StoredValue<Vec<(String, ArcRwSignal<String>)>>);

pub struct AnswerDraft {
    drafts: AnswerDrafts,
    key: String,
    text: ArcRwSignal<String>,
}

impl AnswerDrafts {
    /// Returns the draft of a question: the stored one, or a new one with the question's prefilled text.
    pub fn of(self, session_id: &str, ask_id: &str, prefill: &str) -> AnswerDraft {
        let key = storage_key(session_id, ask_id);
        let text = self.find(&key).unwrap_or_else(|| {
            let stored =
                session_storage::get(&key).and_then(|stored| stored.strip_prefix(PREFIX).map(String::from));
            let text = ArcRwSignal::new(stored.unwrap_or_else(|| prefill.to_owned()));
            self.0.update_value(|drafts| drafts.push((key.clone(), text.clone())));
            text
        });
        AnswerDraft { drafts: self, key, text }
    }

    /// Removes the draft of a question whose answer is being sent: a later question may reuse the id.
    pub fn take(self, session_id: &str, ask_id: &str) -> Option<AnswerDraft> {
        let key = storage_key(session_id, ask_id);
        let text = self.find(&key)?;
        self.remove(&key);
        session_storage::remove(&key);
        Some(AnswerDraft { drafts: self, key, text })
    }

    fn find(self, key: &str) -> Option<ArcRwSignal<String>> {
        self.0
            .with_value(|drafts| drafts.iter().find(|(known, _)| known == key).map(|(_, text)| text.clone()))
    }

    fn remove(self, key: &str) {
        self.0.update_value(|drafts| drafts.retain(|(known, _)| known != key));
    }
}

impl AnswerDraft {
    pub fn text(&self) -> RwSignal<String> {
        self.text.clone().into()
    }

    pub fn set(&self, text: String) {
        self.text.set(text);
        self.save();
    }

    /// Stores the draft again after its answer was refused.
    pub fn restore(self) {
        self.save();
        self.drafts.remove(&self.key);
        self.drafts.0.update_value(|drafts| drafts.push((self.key, self.text)));
    }

    fn save(&self) {
        self.text.with_untracked(|text| session_storage::set(&self.key, &format!("{PREFIX}{text}")));
    }
}

fn storage_key(session_id: &str, ask_id: &str) -> String {
    format!("pilothouse.answer.{session_id}.{ask_id}")
}
