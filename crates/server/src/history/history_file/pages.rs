//! Finds rows of a stored conversation, and what is a row's entry and an entry's row.

use std::fs::File;

use pilothouse_agents::history::entry::entry_id;
use pilothouse_agents::history::record::{Kind, Role};
use pilothouse_core::conversation::controller::Change;
use pilothouse_core::protocol::MessagesPage;

use super::super::source::{Pieces, Stamp};
use super::HistoryFile;
use super::fold::{Images, Walk};

impl HistoryFile {
    /// Up to `limit` rows before row `before`. None if the file cannot be read, or is another one by now.
    pub fn rows(&self, before: usize, limit: usize) -> Option<MessagesPage> {
        let total = self.tail.controller.total();
        let end = before.min(total);
        let start = end.saturating_sub(limit);
        let file = self.file()?;
        let mut pieces = Pieces::new(&file);
        let mut walk = self.walk_to_row(start);
        // What comes later may change a row: not every result follows its call at once.
        while walk.controller.first_changeable_row(walk.extra < self.extras.len()) < end {
            if walk.entry >= self.active.len() {
                self.take_extras(&mut walk, u64::MAX);
                walk.controller.finish_history();
                break;
            }
            self.take_extras_before_entry(&mut walk);
            let item = self.item(&walk, &mut pieces);
            self.take(&mut walk, item, Images::Named);
            walk.controller.drop_rows_before(start);
        }
        let (first, rows) = (walk.controller.first(), walk.controller.rows());
        let page = start
            .checked_sub(first)
            .zip(end.checked_sub(first))
            .and_then(|(start, end)| rows.get(start..end));
        Some(MessagesPage { first: start, total, messages: page?.to_vec() })
    }

    /// The id of the entry that is shown as this row, if it is one of the person's messages.
    pub fn entry_of_user_row(&self, row: usize) -> Option<String> {
        let first = self.rows_before.partition_point(|rows| *rows < row);
        let at_row = self.rows_before[first..].iter().take_while(|rows| **rows == row).count();
        let is_user = |place: &usize| {
            self.entry_at(*place).is_some_and(|entry| entry.kind == Kind::Message(Role::User))
        };
        let entry = (first..first + at_row).find(is_user).and_then(|place| self.entry_at(place))?;
        Pieces::new(&self.file()?).piece(entry.offset, entry.length).and_then(entry_id)
    }

    /// The first row that an entry makes or changes. None if it is not on the branch that is shown, or shows nothing.
    pub fn row_of_entry(&self, entry_id: &str) -> Option<usize> {
        let number = self.index.number_of(entry_id)?;
        let place = self.active.binary_search(&number).ok()?;
        let kind = self.entry_at(place)?.kind;
        if !kind.is_telling() {
            return None;
        }
        if kind == Kind::Message(Role::User) {
            return self.rows_before.get(place).copied();
        }
        let file = self.file()?;
        let mut behind = self.checkpoints.partition_point(|checkpoint| checkpoint.entry <= place);
        // A result may belong to a call that is further back than the nearest place.
        let mut back = 1;
        loop {
            let walk = behind.checked_sub(1).map_or_else(Walk::default, |last| self.checkpoints[last].walk());
            let row = self.row_in_walk(walk, place, &mut Pieces::new(&file));
            if row.is_some() || behind == 0 || kind != Kind::Message(Role::ToolResult) {
                return row;
            }
            behind = behind.saturating_sub(back);
            back *= 2;
        }
    }

    fn row_in_walk(&self, mut walk: Walk, place: usize, pieces: &mut Pieces<'_>) -> Option<usize> {
        loop {
            self.take_extras_before_entry(&mut walk);
            let item = self.item(&walk, pieces);
            let last = walk.entry >= place;
            let report = self.take(&mut walk, item, Images::Dropped);
            if last {
                let held = report.iter().filter_map(|change| match change {
                    Change::Inserted(held) | Change::Touched(held) => Some(*held),
                    Change::Removed(_) => None,
                });
                return held.min().map(|held| walk.controller.first() + held);
            }
        }
    }

    /// The file, if it still is the one that was opened.
    fn file(&self) -> Option<File> {
        let file = File::open(&self.path).ok()?;
        let stamp = Stamp::of(&file.metadata().ok()?);
        (stamp.is_same_file(self.stamp) && self.progress.fits(&file)).then_some(file)
    }
}
