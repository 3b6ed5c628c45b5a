//! A row as its component sees it: its handle and the session it belongs to, in one value that is free to copy.

use leptos::prelude::*;
use pilothouse_core::{Mark, UiMessage};

use crate::actions::use_actions;
use crate::state::server::{Row, Session};

#[derive(Clone, Copy)]
pub struct Entry {
    pub session: Session,
    row: StoredValue<Row>,
}

impl Entry {
    pub fn new(session: Session, row: Row) -> Self {
        Self { session, row: StoredValue::new(row) }
    }

    pub fn id(self) -> String {
        self.row.with_value(|row| row.id().to_owned())
    }

    /// Counted from the start of the conversation.
    pub fn position(self) -> usize {
        self.row.with_value(Row::position)
    }

    /// Runs again when this row changes.
    pub fn read<T: Default>(self, read: impl FnOnce(&UiMessage) -> T) -> T {
        self.row.try_with_value(|row| self.session.read(row, read)).unwrap_or_default()
    }

    pub fn peek<T: Default>(self, read: impl FnOnce(&UiMessage) -> T) -> T {
        self.row.try_with_value(|row| self.session.peek(row, read)).unwrap_or_default()
    }

    pub fn is_live(self) -> bool {
        self.row.try_with_value(Row::is_live).unwrap_or_default()
    }

    pub fn is_last(self) -> bool {
        self.session
            .rows
            .with(|rows| self.row.with_value(|row| rows.last().is_some_and(|last| last.key() == row.key())))
    }

    pub fn is_marked(self, mark: Mark) -> bool {
        self.read(|message| message.mark == Some(mark))
    }

    /// Whether the person has opened it; remembered when the session is left.
    pub fn expanded(self) -> RwSignal<bool> {
        let client = use_actions().client;
        let (session_id, row_id) = (self.session.id(), self.id());
        let expanded = RwSignal::new(client.is_expanded(&session_id, &row_id));
        Effect::new(move |before: Option<bool>| {
            let now = expanded.get();
            if before.is_some_and(|before| before != now) {
                client.set_expanded(&session_id, &row_id, now);
            }
            now
        });
        expanded
    }
}
