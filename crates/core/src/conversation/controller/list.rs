//! Changes to the list itself: adding, changing and removing rows, with every remembered index kept right.
//! What the rows mean is not known here.

use serde::{Deserialize, Serialize};

use super::{Change, MessageController, Report};
use crate::conversation::ui_message::UiMessage;
use crate::json::readable;
use crate::limits::RECENT_NAMED_ROWS;

/// A row of the conversation whose id was chosen by a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Named {
    pub(super) id: String,
    pub(super) row: usize,
}

readable!(Named { id "id", row "row"; });

impl MessageController {
    /// Adds a row at the end of the conversation proper.
    pub(super) fn push(&mut self, message: UiMessage, report: &mut Report) -> usize {
        self.insert(self.fold.body, message, report)
    }

    /// Adds a row before row `row` of the conversation proper; gives it an id unless it has one.
    pub(super) fn insert(&mut self, row: usize, mut message: UiMessage, report: &mut Report) -> usize {
        if message.id.is_empty() {
            message.id = format!("r{}", self.fold.next_id);
        }
        self.fold.next_id += 1;
        self.move_indices(row, |index| index + 1);
        self.fold.body += 1;
        match row.checked_sub(self.first) {
            Some(held) => {
                self.rows.insert(held, message);
                report.push(Change::Inserted(held));
            }
            // Before the window of this page: its rows count from further on.
            None => self.first += 1,
        }
        row
    }

    /// Changes a row in place. A row outside this page's window is the server's to change.
    pub(super) fn change(
        &mut self,
        row: usize,
        report: &mut Report,
        change: impl FnOnce(&mut UiMessage) -> bool,
    ) {
        if let Some(held) = row.checked_sub(self.first)
            && let Some(message) = self.rows.get_mut(held)
            && change(message)
        {
            report.push(Change::Touched(held));
        }
    }

    pub(super) fn set_text(&mut self, row: usize, text: String, report: &mut Report) {
        self.change(row, report, |message| {
            let differs = message.text != text;
            message.text = text;
            differs
        });
    }

    /// Takes a row out; every remembered index behind it moves up.
    pub(super) fn remove(&mut self, row: usize, report: &mut Report) {
        match row.checked_sub(self.first) {
            Some(held) if held < self.rows.len() => {
                self.rows.remove(held);
                report.push(Change::Removed(held));
            }
            Some(_) => return,
            None => self.first -= 1,
        }
        if row < self.fold.body {
            self.fold.body -= 1;
        }
        self.fold.calls.retain(|call| call.row != Some(row));
        self.fold.named.retain(|named| named.row != row);
        self.fold.open_user = self.fold.open_user.filter(|index| *index != row);
        self.fold.failure = self.fold.failure.filter(|index| *index != row);
        self.fold.exit = self.fold.exit.filter(|index| *index != row);
        for block in self.fold.blocks.iter_mut().flatten() {
            block.row = block.row.filter(|index| *index != row);
        }
        self.move_indices(row, |index| index - 1);
    }

    /// Moves every remembered index from `row` on.
    fn move_indices(&mut self, row: usize, by: impl Fn(usize) -> usize) {
        if row >= self.fold.body {
            // The end of the conversation, the usual place: nothing is remembered behind it.
            return;
        }
        let fold = &mut self.fold;
        let calls = fold.calls.iter_mut().filter_map(|call| call.row.as_mut());
        let blocks = fold.blocks.iter_mut().flatten().filter_map(|block| block.row.as_mut());
        let named = fold.named.iter_mut().map(|named| &mut named.row);
        for index in calls
            .chain(blocks)
            .chain(named)
            .chain(&mut fold.open_user)
            .chain(&mut fold.failure)
            .chain(&mut fold.exit)
        {
            if *index >= row {
                *index = by(*index);
            }
        }
    }

    /// Remembers that a row of the conversation carries an id of a page's, so that it never gets a twin.
    pub(super) fn remember_name(&mut self, row: usize, id: &str) {
        if id.is_empty() || self.named(id).is_some() {
            return;
        }
        if self.fold.named.len() >= RECENT_NAMED_ROWS {
            self.fold.named.remove(0);
        }
        self.fold.named.push(Named { id: id.to_owned(), row });
    }

    pub(super) fn named(&self, id: &str) -> Option<usize> {
        self.fold.named.iter().rfind(|named| named.id == id).map(|named| named.row)
    }
}
