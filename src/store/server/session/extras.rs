//! What an opened session tells beside its folded view: notices, texts for the composer, what was wished and is not
//! so yet.

use leptos::prelude::*;
use pilothouse_core::protocol::event::{Event, NoticeLevel};
use pilothouse_core::{Kind, SessionView, UiMessage};

use super::Session;
use crate::store::server::{Row, notice};

impl Session {
    /// What is not part of the folded view.
    pub(super) fn pass_on(&self, event: &Event) {
        match event {
            Event::Notice { level, text } => self.notify(*level, text.clone()),
            Event::EditorText { text } if !text.is_empty() => self.offered.set(Some(text.clone())),
            Event::ThinkingLevelChanged { .. } => {
                self.requested.update_value(|requested| requested.thinking_level = None);
            }
            Event::ModeChanged { .. } => self.requested.update_value(|requested| requested.mode = None),
            _ => {}
        }
    }

    /// Something is to be known beside the conversation.
    pub fn notify(&self, level: NoticeLevel, text: String) {
        self.notices.update(|notices| notice::add(notices, level, text));
    }

    /// Shows a setting as chosen until the server reports it; `None` shows the server's value again.
    pub fn request_thinking_level(&self, level: Option<String>) {
        self.requested.update_value(|requested| requested.thinking_level = level);
        self.update_signals_now();
    }

    /// The same for the agent's mode.
    pub fn request_mode(&self, mode: Option<String>) {
        self.requested.update_value(|requested| requested.mode = mode);
        self.update_signals_now();
    }

    fn update_signals_now(&self) {
        self.changed.set_value(true);
        self.settle();
    }

    /// The draft that the server had when this page opened the session, once.
    pub fn take_served_draft(&self) -> Option<String> {
        self.served_draft.try_update_value(Option::take).flatten()
    }

    /// The handle of a row that is held.
    pub fn row(&self, id: &str) -> Option<Row> {
        self.rows.with_untracked(|rows| rows.iter().rfind(|row| row.id() == id).cloned())
    }

    /// The id of the row at this place of the conversation, if it is held.
    pub fn row_id_at(&self, position: usize) -> Option<String> {
        let at = |view: &SessionView| {
            let index = position.checked_sub(view.controller.first())?;
            view.controller.rows().get(index).map(|row| row.id.clone())
        };
        self.view.try_with_value(at).flatten()
    }

    pub fn position_of(&self, row_id: &str) -> Option<usize> {
        self.view.with_value(|view| {
            let index = view.controller.rows().iter().rposition(|row| row.id == row_id)?;
            Some(view.controller.first() + index)
        })
    }

    /// The rows held, as they are now.
    pub fn with_rows<T>(&self, with: impl FnOnce(&[UiMessage]) -> T) -> T {
        self.view.with_value(|view| with(view.controller.rows()))
    }

    /// What the person has sent, oldest first: messages, and shell commands as they are typed.
    pub fn sent_texts(&self) -> Vec<String> {
        self.view.with_value(|view| {
            let rows = view.controller.rows().iter();
            let texts = rows.filter_map(|row| match (row.kind, &row.bash_result) {
                (Kind::User, _) => Some(row.text.clone()),
                (_, Some(bash)) if bash.exclude_from_context => Some(format!("!!{}", bash.command)),
                (_, Some(bash)) => Some(format!("!{}", bash.command)),
                _ => None,
            });
            texts.filter(|text| !text.trim().is_empty()).collect()
        })
    }

    pub fn dismiss_notice(&self, number: u64) {
        self.notices.update(|notices| notices.retain(|notice| notice.number != number));
    }
}
