//! Pages of older rows, and the mapping between rows and entries.

use std::fs::File;

use pilothouse_agents::history::entry::entry_id;
use pilothouse_agents::history::record::{EntryKind, Role};
use pilothouse_core::conversation::controller::Change;
use pilothouse_core::protocol::MessagesPage;

use super::super::source::{FileStamp, RangeReader};
use super::HistoryFile;
use super::fold::{FoldCursor, ImageMode};

impl HistoryFile {
    /// Up to `limit` rows before row `before`. Returns `None` if the file was replaced or cannot be read.
    pub fn rows(&self, before: usize, limit: usize) -> Option<MessagesPage> {
        let total = self.tail.controller.total();
        let end = before.min(total);
        let start = end.saturating_sub(limit);
        let file = self.reopen()?;
        let mut reader = RangeReader::new(&file);
        let mut cursor = self.cursor_before_row(start);
        // Continues until no later entry can change these rows: a tool result may follow its call at a distance.
        while cursor.controller.first_changeable_row(cursor.extra < self.extras.len()) < end {
            if cursor.entry >= self.active.len() {
                self.fold_extras_before(&mut cursor, u64::MAX);
                cursor.controller.finish_history();
                break;
            }
            self.fold_extras_before_entry(&mut cursor);
            let content = self.read_content(&cursor, &mut reader);
            self.fold_entry(&mut cursor, content, ImageMode::Index);
            cursor.controller.drop_rows_before(start);
        }
        let (first, rows) = (cursor.controller.first(), cursor.controller.rows());
        let page = start
            .checked_sub(first)
            .zip(end.checked_sub(first))
            .and_then(|(start, end)| rows.get(start..end));
        Some(MessagesPage { first: start, total, messages: page?.to_vec() })
    }

    /// The id of the entry shown as this row, if it is a user message.
    pub fn entry_of_user_row(&self, row: usize) -> Option<String> {
        let first = self.rows_before.partition_point(|rows| *rows < row);
        let count = self.rows_before[first..].iter().take_while(|rows| **rows == row).count();
        let is_user = |position: &usize| {
            self.active_entry(*position).is_some_and(|entry| entry.kind == EntryKind::Message(Role::User))
        };
        let position = (first..first + count).find(is_user)?;
        let entry = self.active_entry(position)?;
        RangeReader::new(&self.reopen()?).read(entry.offset, entry.length).and_then(entry_id)
    }

    /// The id of the last entry of the active branch.
    pub fn last_entry_id(&self) -> Option<String> {
        let entry = self.active_entry(self.active.len().checked_sub(1)?)?;
        RangeReader::new(&self.reopen()?).read(entry.offset, entry.length).and_then(entry_id)
    }

    /// The first row that an entry adds or changes. Returns `None` if the entry is not in the active branch or changes
    /// no row.
    pub fn row_of_entry(&self, entry_id: &str) -> Option<usize> {
        let number = self.index.number_of(entry_id)?;
        let position = self.active.binary_search(&number).ok()?;
        let kind = self.active_entry(position)?.kind;
        if !kind.is_shown() {
            return None;
        }
        if kind == EntryKind::Message(Role::User) {
            return self.rows_before.get(position).copied();
        }
        let file = self.reopen()?;
        let mut checkpoints = self.checkpoints.partition_point(|checkpoint| checkpoint.entry <= position);
        // The call of a tool result may be before the nearest checkpoint: the search starts further back each time.
        let mut step = 1;
        loop {
            let cursor = self.cursor_after_checkpoints(checkpoints);
            let row = self.first_row_changed_at(position, cursor, &mut RangeReader::new(&file));
            if row.is_some() || checkpoints == 0 || kind != EntryKind::Message(Role::ToolResult) {
                return row;
            }
            checkpoints = checkpoints.saturating_sub(step);
            step *= 2;
        }
    }

    /// Folds up to and including the entry at this position. Returns the first row that this entry changes.
    fn first_row_changed_at(
        &self,
        position: usize,
        mut cursor: FoldCursor,
        reader: &mut RangeReader<'_>,
    ) -> Option<usize> {
        loop {
            self.fold_extras_before_entry(&mut cursor);
            let content = self.read_content(&cursor, reader);
            let is_last = cursor.entry >= position;
            let report = self.fold_entry(&mut cursor, content, ImageMode::Drop);
            if is_last {
                let changed = report.iter().filter_map(|change| match change {
                    Change::Inserted(row) | Change::Touched(row) => Some(*row),
                    Change::Removed(_) => None,
                });
                return changed.min().map(|row| cursor.controller.first() + row);
            }
        }
    }

    /// Opens the file again, unless it has been replaced since it was read.
    pub(super) fn reopen(&self) -> Option<File> {
        let file = File::open(&self.path).ok()?;
        let stamp = FileStamp::of(&file.metadata().ok()?);
        (stamp.is_same_file(self.stamp) && self.progress.matches(&file)).then_some(file)
    }
}
