//! A message of the conversation that is being written anew, with what was written so far. One at a time; it survives
//! a look at another session.

use leptos::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rewritten {
    session_id: String,
    row_id: String,
    text: String,
}

#[derive(Clone, Copy, Default)]
pub struct MessageEdit(RwSignal<Option<Rewritten>>);

impl MessageEdit {
    pub fn is_open(&self, session_id: &str, row_id: &str) -> bool {
        self.0
            .with(|now| now.as_ref().is_some_and(|now| now.session_id == session_id && now.row_id == row_id))
    }

    pub fn begin(&self, session_id: &str, row_id: &str, text: String) {
        let (session_id, row_id) = (session_id.to_owned(), row_id.to_owned());
        self.0.set(Some(Rewritten { session_id, row_id, text }));
    }

    pub fn text(&self) -> String {
        self.0.with_untracked(|now| now.as_ref().map(|now| now.text.clone()).unwrap_or_default())
    }

    /// What was typed; nobody is told, since it stands in the field already.
    pub fn write(&self, text: String) {
        self.0.update_untracked(|now| now.iter_mut().for_each(|now| text.clone_into(&mut now.text)));
    }

    pub fn end(&self) {
        self.0.set(None);
    }
}
