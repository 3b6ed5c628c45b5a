//! The sent message that the user is editing, with its unsaved text. Only one at a time; it survives switching
//! sessions.

use leptos::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq)]
struct OpenEdit {
    session_id: String,
    row_id: String,
    text: String,
}

#[derive(Clone, Copy, Default)]
pub struct MessageEdit(RwSignal<Option<OpenEdit>>);

impl MessageEdit {
    pub fn is_open(&self, session_id: &str, row_id: &str) -> bool {
        self.0.with(|edit| {
            edit.as_ref().is_some_and(|edit| edit.session_id == session_id && edit.row_id == row_id)
        })
    }

    pub fn begin(&self, session_id: &str, row_id: &str, text: String) {
        let (session_id, row_id) = (session_id.to_owned(), row_id.to_owned());
        self.0.set(Some(OpenEdit { session_id, row_id, text }));
    }

    pub fn text(&self) -> String {
        self.0.with_untracked(|edit| edit.as_ref().map(|edit| edit.text.clone()).unwrap_or_default())
    }

    /// Stores the typed text without notifying: the field shows it already.
    pub fn write(&self, text: String) {
        self.0.update_untracked(|edit| edit.iter_mut().for_each(|edit| text.clone_into(&mut edit.text)));
    }

    pub fn end(&self) {
        self.0.set(None);
    }
}
