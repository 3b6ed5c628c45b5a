//! Row handles, which the timeline holds instead of the messages. A handle knows its message's position in the session's
//! view and has its own trigger, so that a streamed delta updates one row and copies no message.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use leptos::prelude::*;
use pilothouse_core::conversation::controller::{Change, Report};
use pilothouse_core::{Kind, UiMessage};

/// The position of a row that is no longer in the list.
const REMOVED: usize = usize::MAX;

#[derive(Clone)]
pub struct Row(Arc<Handle>);

struct Handle {
    /// Identifies the handle. The message's id would do, but a server list with a duplicate id must not break the page.
    key: u64,
    id: String,
    kind: Kind,
    /// The index in the whole conversation, which does not change when older rows are loaded.
    position: AtomicUsize,
    changed: ArcTrigger,
    /// Text is being streamed into this row.
    live: ArcRwSignal<bool>,
    /// The row is in `RowList::touched`.
    is_touched: AtomicBool,
}

impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        self.0.key == other.0.key
    }
}

static NEXT_KEY: AtomicU64 = AtomicU64::new(0);

impl Row {
    fn new(message: &UiMessage) -> Self {
        Self(Arc::new(Handle {
            key: NEXT_KEY.fetch_add(1, Ordering::Relaxed),
            id: message.id.clone(),
            kind: message.kind,
            position: AtomicUsize::new(REMOVED),
            changed: ArcTrigger::new(),
            live: ArcRwSignal::new(false),
            is_touched: AtomicBool::new(false),
        }))
    }

    pub fn key(&self) -> u64 {
        self.0.key
    }

    pub fn id(&self) -> &str {
        &self.0.id
    }

    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    pub fn is_live(&self) -> bool {
        self.0.live.get()
    }

    pub fn set_live(&self, live: bool) {
        if self.0.live.get_untracked() != live {
            self.0.live.set(live);
        }
    }

    /// The index in the whole conversation.
    pub fn position(&self) -> usize {
        self.0.position.load(Ordering::Relaxed)
    }

    /// Subscribes the current reactive observer to changes of this row.
    pub(super) fn track(&self) {
        self.0.changed.track();
    }

    /// Notifies the row's observers.
    fn notify(&self) {
        self.0.changed.notify();
    }

    fn set_position(&self, position: usize) {
        self.0.position.store(position, Ordering::Relaxed);
    }

    fn matches(&self, message: &UiMessage) -> bool {
        self.0.id == message.id && self.0.kind == message.kind
    }
}

/// The handles of a session's loaded rows, and the changes since the signals were updated.
#[derive(Default)]
pub struct RowList {
    rows: Vec<Row>,
    touched: Vec<Row>,
    reordered: bool,
}

/// The changes of which the observers are notified.
#[derive(Default)]
pub struct RowChanges {
    pub touched: Vec<Row>,
    /// The new list, if rows were added, removed or moved.
    pub rows: Option<Vec<Row>>,
}

impl RowList {
    /// Applies a report of the controller. `messages` is its list afterwards, `first` the position of its first message.
    pub fn apply(&mut self, report: &Report, messages: &[UiMessage], first: usize) {
        let mut first_moved = usize::MAX;
        let mut removed = Vec::new();
        for change in report {
            match *change {
                // A placeholder: later changes of the report may move the row, so its message is looked up at the end.
                Change::Inserted(index) if index <= self.rows.len() => {
                    self.rows.insert(index, Row::new(&UiMessage::default()));
                    first_moved = first_moved.min(index);
                }
                Change::Removed(index) if index < self.rows.len() => {
                    let row = self.rows.remove(index);
                    row.set_position(REMOVED);
                    removed.push(row);
                    first_moved = first_moved.min(index);
                }
                Change::Touched(index) => {
                    if let Some(row) = self.rows.get(index).cloned() {
                        self.touch(row);
                    }
                }
                _ => {}
            }
        }
        if first_moved < usize::MAX {
            self.match_rows_from(first_moved, messages, first, |message| {
                removed.iter().find(|row| row.matches(message)).cloned()
            });
        }
    }

    /// Replaces all rows after a snapshot. Rows that still exist keep their handles.
    pub fn replace(&mut self, messages: &[UiMessage], first: usize) {
        let mut old = HashMap::new();
        for row in self.rows.drain(..) {
            row.set_position(REMOVED);
            old.insert(row.0.id.clone(), row);
        }
        self.rows.extend(messages.iter().enumerate().map(|(index, message)| {
            let known = old.remove(&message.id).filter(|row| row.matches(message));
            let row = known.unwrap_or_else(|| Row::new(message));
            row.set_position(first + index);
            row
        }));
        self.reordered = true;
        let all = self.rows.clone();
        all.into_iter().for_each(|row| self.touch(row));
    }

    /// Adds handles for older messages that were loaded before the others.
    pub fn prepend(&mut self, messages: &[UiMessage], first: usize) {
        let count = messages.len().saturating_sub(self.rows.len());
        let older = messages.iter().take(count).enumerate().map(|(index, message)| {
            let row = Row::new(message);
            row.set_position(first + index);
            row
        });
        self.rows.splice(0..0, older);
        self.reordered = true;
    }

    pub fn take_changes(&mut self) -> RowChanges {
        let touched = std::mem::take(&mut self.touched);
        touched.iter().for_each(|row| row.0.is_touched.store(false, Ordering::Relaxed));
        let rows = std::mem::take(&mut self.reordered).then(|| self.rows.clone());
        RowChanges { touched, rows }
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Makes the rows from index `from` on match the messages. `find_removed` finds the handle of a removed message,
    /// which may have been inserted elsewhere.
    fn match_rows_from(
        &mut self,
        from: usize,
        messages: &[UiMessage],
        first: usize,
        mut find_removed: impl FnMut(&UiMessage) -> Option<Row>,
    ) {
        self.rows.truncate(messages.len());
        for (index, message) in messages.iter().enumerate().skip(from) {
            let matches = self.rows.get(index).is_some_and(|row| row.matches(message));
            if !matches {
                let row = find_removed(message).unwrap_or_else(|| Row::new(message));
                match self.rows.get_mut(index) {
                    Some(slot) => *slot = row,
                    None => self.rows.push(row),
                }
            }
            self.rows[index].set_position(first + index);
        }
        self.reordered = true;
    }

    fn touch(&mut self, row: Row) {
        if !row.0.is_touched.swap(true, Ordering::Relaxed) {
            self.touched.push(row);
        }
    }
}

impl RowChanges {
    /// Notifies the observers of the touched rows, and updates the list signal if the list has changed.
    pub fn notify(self, list: RwSignal<Vec<Row>>) {
        for row in &self.touched {
            row.notify();
        }
        if let Some(rows) = self.rows {
            list.set(rows);
        }
    }
}

#[cfg(test)]
#[path = "row_tests.rs"]
mod tests;
