//! Folds the active branch of a session file into rows, entry by entry, with the extras at their positions.

use std::fs::File;

use pilothouse_agents::history::entry::{EntryContent, read_entry};
use pilothouse_agents::history::index::IndexEntry;
use pilothouse_core::MessageController;
use pilothouse_core::conversation::controller::{Fold, Report};
use pilothouse_core::conversation::message::Message;
use pilothouse_core::limits::{CHECKPOINT_ROWS, TAIL_ROWS};
use pilothouse_core::session::machine::Evidence;

use super::super::source::RangeReader;
use super::{BranchFacts, HistoryFile};

/// A fold in progress.
#[derive(Clone, Debug, Default)]
pub(super) struct FoldCursor {
    pub(super) controller: MessageController,
    /// The number of entries of the active branch that are folded.
    pub(super) entry: usize,
    /// The number of extras that are folded.
    pub(super) extra: usize,
}

/// The state of a fold without its rows, sufficient to continue from there.
#[derive(Clone, Debug)]
pub(super) struct Checkpoint {
    pub(super) rows: usize,
    pub(super) entry: usize,
    extra: usize,
    fold: Fold,
}

impl Checkpoint {
    pub(super) fn cursor(&self) -> FoldCursor {
        let controller = MessageController::resume_from(self.fold.clone());
        FoldCursor { controller, entry: self.entry, extra: self.extra }
    }
}

/// The treatment of images. Computing the name of an image requires decoding it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImageMode {
    /// Names the images and stores their positions in `Blobs`.
    Index,
    Drop,
}

/// The result of folding everything, without the rows.
#[derive(Debug)]
pub(super) struct FullFold {
    rows: usize,
    rows_before: Vec<usize>,
    checkpoints: Vec<Checkpoint>,
    facts: BranchFacts,
}

impl HistoryFile {
    /// Folds the whole branch once, keeping no rows.
    pub(super) fn fold_everything(&mut self, file: &File) -> FullFold {
        let mut reader = RangeReader::new(file);
        let mut cursor = FoldCursor::default();
        while cursor.entry < self.active.len() {
            self.prepare_first_fold(&mut cursor);
            let content = self.read_content(&cursor, &mut reader);
            self.update_facts(content.as_ref(), &cursor);
            self.fold_entry(&mut cursor, content, ImageMode::Drop);
            cursor.controller.drop_rows_before(usize::MAX);
        }
        self.fold_extras_before(&mut cursor, u64::MAX);
        FullFold {
            rows: cursor.controller.total(),
            rows_before: std::mem::take(&mut self.rows_before),
            checkpoints: std::mem::take(&mut self.checkpoints),
            facts: std::mem::take(&mut self.facts),
        }
    }

    /// Folds the newest rows again, to keep them.
    pub(super) fn fold_newest_rows(&mut self, file: &File, full_fold: FullFold) {
        let first = full_fold.rows.saturating_sub(TAIL_ROWS);
        self.rows_before = full_fold.rows_before;
        self.checkpoints = full_fold.checkpoints;
        self.facts = full_fold.facts;
        let mut reader = RangeReader::new(file);
        let mut cursor = self.cursor_before_row(first);
        while cursor.entry < self.active.len() {
            let content = self.read_content(&cursor, &mut reader);
            self.fold_extras_before_entry(&mut cursor);
            self.fold_entry(&mut cursor, content, ImageMode::Index);
        }
        self.fold_extras_before(&mut cursor, u64::MAX);
        self.tail = cursor;
    }

    /// Folds the appended entries and returns their messages.
    pub(super) fn fold_appended(&mut self, file: &File) -> Vec<Message> {
        let mut reader = RangeReader::new(file);
        let mut cursor = std::mem::take(&mut self.tail);
        let mut messages = Vec::new();
        while cursor.entry < self.active.len() {
            self.prepare_first_fold(&mut cursor);
            let mut content = self.read_content(&cursor, &mut reader);
            self.update_facts(content.as_ref(), &cursor);
            if let Some(EntryContent::Message(message)) = &mut content {
                self.index_images(message, cursor.entry);
                messages.push(message.clone());
            }
            self.fold_entry(&mut cursor, content, ImageMode::Index);
            if cursor.controller.rows().len() > 2 * TAIL_ROWS {
                cursor.controller.drop_rows_before(cursor.controller.total() - TAIL_ROWS);
            }
        }
        self.tail = cursor;
        messages
    }

    /// A cursor at the nearest checkpoint before this row.
    pub(super) fn cursor_before_row(&self, row: usize) -> FoldCursor {
        let count = self.checkpoints.partition_point(|checkpoint| checkpoint.rows <= row);
        self.cursor_after_checkpoints(count)
    }

    /// A cursor at the last of the first `count` checkpoints, or at the start.
    pub(super) fn cursor_after_checkpoints(&self, count: usize) -> FoldCursor {
        count.checked_sub(1).map_or_else(FoldCursor::default, |last| self.checkpoints[last].cursor())
    }

    /// Reads the cursor's entry. Entries that are never shown are not read and count as empty. Returns `None` if the
    /// entry cannot be read.
    pub(super) fn read_content(
        &self,
        cursor: &FoldCursor,
        reader: &mut RangeReader<'_>,
    ) -> Option<EntryContent> {
        let entry = self.active_entry(cursor.entry).filter(|entry| entry.kind.is_shown());
        let Some(entry) = entry else { return Some(EntryContent::Empty) };
        reader.read(entry.offset, entry.length).and_then(read_entry)
    }

    /// The entry at this position of the active branch.
    pub(super) fn active_entry(&self, position: usize) -> Option<&IndexEntry> {
        self.active.get(position).and_then(|number| self.index.entry(*number))
    }

    /// Folds the content of the cursor's entry and advances the cursor.
    pub(super) fn fold_entry(
        &self,
        cursor: &mut FoldCursor,
        content: Option<EntryContent>,
        images: ImageMode,
    ) -> Report {
        let report = match content {
            Some(EntryContent::Message(mut message)) => {
                match images {
                    ImageMode::Index => self.index_images(&mut message, cursor.entry),
                    ImageMode::Drop => drop_images(&mut message),
                }
                cursor.controller.fold_history_message(message)
            }
            _ => Report::new(),
        };
        cursor.entry += 1;
        report
    }

    fn index_images(&self, message: &mut Message, position: usize) {
        if let Some(entry) = self.active_entry(position) {
            self.blobs.index_from_file(message, &self.path, entry.offset, entry.length);
        }
    }

    /// Folds the extras that precede the cursor's entry.
    pub(super) fn fold_extras_before_entry(&self, cursor: &mut FoldCursor) {
        let time = self.active_entry(cursor.entry).map_or(0, |entry| entry.time);
        self.fold_extras_before(cursor, time);
    }

    /// Folds the remaining extras from before this time.
    pub(super) fn fold_extras_before(&self, cursor: &mut FoldCursor, time: u64) {
        while let Some(extra) = self.extras.get(cursor.extra).filter(|extra| extra.at < time) {
            for event in &extra.events {
                let mut event = event.clone();
                self.blobs.extract_from_event(&mut event);
                cursor.controller.handle_server_event(event);
            }
            cursor.extra += 1;
        }
    }

    /// Prepares the first fold of an entry: folds the extras before it, stores the number of rows so far and, at
    /// intervals, a checkpoint.
    fn prepare_first_fold(&mut self, cursor: &mut FoldCursor) {
        self.fold_extras_before_entry(cursor);
        let rows = cursor.controller.total();
        self.rows_before.push(rows);
        let since_checkpoint = rows - self.checkpoints.last().map_or(0, |checkpoint| checkpoint.rows);
        // The interval grows with the size of the fold's state, which bounds the memory for checkpoints.
        let interval = CHECKPOINT_ROWS.max(cursor.controller.fold().entry_count());
        if since_checkpoint >= interval && cursor.controller.has_no_pending_rows() {
            let fold = cursor.controller.fold().clone();
            self.checkpoints.push(Checkpoint { rows, entry: cursor.entry, extra: cursor.extra, fold });
        }
    }

    fn update_facts(&mut self, content: Option<&EntryContent>, cursor: &FoldCursor) {
        match content {
            Some(EntryContent::Message(message)) => {
                self.facts.evidence = Evidence::implied_by(message).unwrap_or(self.facts.evidence);
            }
            Some(EntryContent::Model { provider, model_id }) => {
                self.facts.model = Some((provider.clone(), model_id.clone()));
            }
            Some(EntryContent::ThinkingLevel(level)) => self.facts.thinking_level = Some(level.clone()),
            Some(EntryContent::Mode(mode)) => self.facts.mode = Some(mode.clone()),
            Some(EntryContent::Options(options)) => self.facts.options.clone_from(options),
            Some(EntryContent::Empty) => {}
            None => {
                tracing::debug!(path = %self.path.display(), entry = cursor.entry, "skipped an unreadable entry");
                self.facts.unreadable_entries += 1;
            }
        }
    }
}

fn drop_images(message: &mut Message) {
    message.images_mut().for_each(|image| image.data = String::new());
}
