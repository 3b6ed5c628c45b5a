//! Handles of rows: what the timeline holds instead of the rows themselves. A handle finds its row in the session's
//! view and is told alone when that row changes, so that one delta touches one row and nothing is copied.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use leptos::prelude::*;
use pilothouse_core::conversation::controller::{Change, Report};
use pilothouse_core::{Kind, UiMessage};

/// A row that is no longer in the list.
const GONE: usize = usize::MAX;

#[derive(Clone)]
pub struct Row(Arc<Handle>);

struct Handle {
    /// Tells elements apart; a row's id would do, but a list with a repeated id must not confuse the page.
    key: u64,
    id: String,
    kind: Kind,
    /// Counted from the start of the whole conversation, so that older rows can be put before it.
    position: AtomicUsize,
    changed: ArcTrigger,
    /// Text is being added to it right now.
    live: ArcRwSignal<bool>,
    told: AtomicBool,
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
            position: AtomicUsize::new(GONE),
            changed: ArcTrigger::new(),
            live: ArcRwSignal::new(false),
            told: AtomicBool::new(true),
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

    /// Counted from the start of the whole conversation.
    pub fn position(&self) -> usize {
        self.0.position.load(Ordering::Relaxed)
    }

    /// From now on the surrounding reactive code runs again when this row changes.
    pub(super) fn track(&self) {
        self.0.changed.track();
    }

    /// Tells that something that belongs to it has changed, such as whether it is open.
    pub fn tell(&self) {
        self.0.changed.notify();
    }

    fn place(&self, position: usize) {
        self.0.position.store(position, Ordering::Relaxed);
    }

    fn matches(&self, message: &UiMessage) -> bool {
        self.0.id == message.id && self.0.kind == message.kind
    }
}

/// The handles of the rows a session holds, and what has to be told when the animation frame ends.
#[derive(Default)]
pub struct RowList {
    rows: Vec<Row>,
    touched: Vec<Row>,
    reordered: bool,
}

/// What to tell.
#[derive(Default)]
pub struct RowChanges {
    pub touched: Vec<Row>,
    /// The new list, if rows came, went or moved.
    pub rows: Option<Vec<Row>>,
}

impl RowList {
    /// Follows what the controller did. `messages` is its list afterwards, `first` the number of its first row.
    pub fn apply(&mut self, report: &Report, messages: &[UiMessage], first: usize) {
        let mut lowest = usize::MAX;
        let mut removed = Vec::new();
        for change in report {
            match *change {
                // What was inserted is only known when the report is complete: later changes move it.
                Change::Inserted(index) if index <= self.rows.len() => {
                    self.rows.insert(index, Row::new(&UiMessage::default()));
                    lowest = lowest.min(index);
                }
                Change::Removed(index) if index < self.rows.len() => {
                    let row = self.rows.remove(index);
                    row.place(GONE);
                    removed.push(row);
                    lowest = lowest.min(index);
                }
                Change::Touched(index) => {
                    if let Some(row) = self.rows.get(index).cloned() {
                        self.touch(row);
                    }
                }
                _ => {}
            }
        }
        if lowest < usize::MAX {
            self.place_from(lowest, messages, first, |message| {
                removed.iter().find(|row| row.matches(message)).cloned()
            });
        }
    }

    /// Follows a snapshot or older rows put before: handles of rows that are still there go on.
    pub fn replace(&mut self, messages: &[UiMessage], first: usize) {
        let mut old = HashMap::new();
        for row in self.rows.drain(..) {
            row.place(GONE);
            old.insert(row.0.id.clone(), row);
        }
        self.rows.extend(messages.iter().enumerate().map(|(index, message)| {
            let known = old.remove(&message.id).filter(|row| row.matches(message));
            let row = known.unwrap_or_else(|| Row::new(message));
            row.place(first + index);
            row
        }));
        self.reordered = true;
        let all = self.rows.clone();
        all.into_iter().for_each(|row| self.touch(row));
    }

    /// Older rows came: only their handles are new.
    pub fn prepend(&mut self, messages: &[UiMessage], first: usize) {
        let count = messages.len().saturating_sub(self.rows.len());
        let older = messages.iter().take(count).enumerate().map(|(index, message)| {
            let row = Row::new(message);
            row.place(first + index);
            row
        });
        self.rows.splice(0..0, older);
        self.reordered = true;
    }

    pub fn news(&mut self) -> RowChanges {
        let touched = std::mem::take(&mut self.touched);
        touched.iter().for_each(|row| row.0.told.store(true, Ordering::Relaxed));
        let rows = std::mem::take(&mut self.reordered).then(|| self.rows.clone());
        RowChanges { touched, rows }
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    fn place_from(
        &mut self,
        lowest: usize,
        messages: &[UiMessage],
        first: usize,
        mut known: impl FnMut(&UiMessage) -> Option<Row>,
    ) {
        self.rows.truncate(messages.len());
        for (index, message) in messages.iter().enumerate().skip(lowest) {
            let fits = self.rows.get(index).is_some_and(|row| row.matches(message));
            if !fits {
                let row = known(message).unwrap_or_else(|| Row::new(message));
                match self.rows.get_mut(index) {
                    Some(place) => *place = row,
                    None => self.rows.push(row),
                }
            }
            self.rows[index].place(first + index);
        }
        self.reordered = true;
    }

    fn touch(&mut self, row: Row) {
        if row.0.told.swap(false, Ordering::Relaxed) {
            self.touched.push(row);
        }
    }
}

impl RowChanges {
    pub fn tell(self, list: RwSignal<Vec<Row>>) {
        for row in &self.touched {
            row.tell();
        }
        if let Some(rows) = self.rows {
            list.set(rows);
        }
    }
}

#[cfg(test)]
#[path = "row_tests.rs"]
mod tests;
