//! Inserts, changes and removes rows, reports it, and keeps every row number stored in [`Fold`](super::Fold)
//! valid. Independent of what the rows mean.

use serde::{Deserialize, Serialize};

use super::{Change, MessageController, Report};
use crate::conversation::limit::BlockText;
use crate::conversation::ui_message::UiMessage;
use crate::json::FromJson;
use crate::limits::RECENT_NAMED_ROWS;

/// A row of the body whose id was chosen by a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromJson)]
pub(super) struct NamedRow {
    pub(super) id: String,
    pub(super) row: usize,
}

impl MessageController {
    /// Adds a row at the end of the body and returns its number.
    pub(super) fn push(&mut self, message: UiMessage, report: &mut Report) -> usize {
        self.insert(self.fold.body, message, report)
    }

    /// Inserts a row into the body, before row `row`, and returns its number. Assigns an id unless the row has
    /// one.
    pub(super) fn insert(&mut self, row: usize, mut message: UiMessage, report: &mut Report) -> usize {
        if message.id.is_empty() {
            message.id = format!("r{}", self.fold.next_id);
        }
        self.fold.next_id += 1;
        self.shift_row_numbers(row, |index| index + 1);
        self.fold.body += 1;
        match row.checked_sub(self.first) {
            Some(held) => {
                self.rows.insert(held, message);
                report.push(Change::Inserted(held));
            }
            // The row is before those held, so they all move up by one.
            None => self.first += 1,
        }
        row
    }

    /// Changes a row in place and reports it if `change` returns true. A row that is not held is skipped: the page
    /// gets it from the server when it loads older rows.
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

    pub(super) fn set_text(&mut self, row: usize, text: BlockText, report: &mut Report) {
        let BlockText { text, left_out } = text;
        self.change(row, report, |message| {
            let differs = message.text != text || message.left_out != left_out;
            (message.text, message.left_out) = (text, left_out);
            differs
        });
    }

    /// Removes a row and everything that refers to it.
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
        self.shift_row_numbers(row, |index| index - 1);
    }

    /// Applies `shift` to every stored row number from `row` on.
    fn shift_row_numbers(&mut self, row: usize, shift: impl Fn(usize) -> usize) {
        // Most rows are added at the end of the body, and no stored number is beyond it.
        if row >= self.fold.body {
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
                *index = shift(*index);
            }
        }
    }

    /// Remembers a row whose id was chosen by a client, so that a repeated event finds it and adds no second row.
    pub(super) fn remember_name(&mut self, row: usize, id: &str) {
        if id.is_empty() || self.find_named_row(id).is_some() {
            return;
        }
        if self.fold.named.len() >= RECENT_NAMED_ROWS {
            self.fold.named.remove(0);
        }
        self.fold.named.push(NamedRow { id: id.to_owned(), row });
    }

    pub(super) fn find_named_row(&self, id: &str) -> Option<usize> {
        self.fold.named.iter().rfind(|named| named.id == id).map(|named| named.row)
    }
}
