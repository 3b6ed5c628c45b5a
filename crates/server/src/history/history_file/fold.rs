//! Walks the active branch of a session file, entry by entry, with what the file does not know in its place.

use std::fs::File;

use pilothouse_agents::history::entry::{Item, read_entry};
use pilothouse_agents::history::index::Entry;
use pilothouse_core::MessageController;
use pilothouse_core::conversation::controller::{Fold, Report};
use pilothouse_core::conversation::message::Message;
use pilothouse_core::limits::{CHECKPOINT_ROWS, TAIL_ROWS};
use pilothouse_core::session::machine::Evidence;

use super::super::source::Pieces;
use super::{HistoryFile, Told};

/// A fold under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Walk {
    pub(super) controller: MessageController,
    /// How many entries of the branch, and how many extras, are in it.
    pub(super) entry: usize,
    pub(super) extra: usize,
}

/// Where a fold stood: with nothing but this, a walk can go on from there.
#[derive(Clone, Debug)]
pub(super) struct Checkpoint {
    pub(super) rows: usize,
    pub(super) entry: usize,
    extra: usize,
    fold: Fold,
}

impl Checkpoint {
    pub(super) fn walk(&self) -> Walk {
        let controller = MessageController::resume_from(self.fold.clone());
        Walk { controller, entry: self.entry, extra: self.extra }
    }
}

/// Whether images are needed: finding out what one is called takes decoding it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Images {
    Named,
    Dropped,
}

/// What is known after a walk through everything: all but the rows.
#[derive(Debug)]
pub(super) struct Walked {
    rows: usize,
    rows_before: Vec<usize>,
    checkpoints: Vec<Checkpoint>,
    told: Told,
}

impl HistoryFile {
    /// Folds everything once, keeping no rows.
    pub(super) fn walk_all(&mut self, file: &File) -> Walked {
        let mut pieces = Pieces::new(file);
        let mut walk = Walk::default();
        while walk.entry < self.active.len() {
            self.note_place(&mut walk);
            let item = self.item(&walk, &mut pieces);
            self.note(item.as_ref(), &walk);
            self.take(&mut walk, item, Images::Dropped);
            walk.controller.drop_rows_before(usize::MAX);
        }
        self.take_extras(&mut walk, u64::MAX);
        Walked {
            rows: walk.controller.total(),
            rows_before: std::mem::take(&mut self.rows_before),
            checkpoints: std::mem::take(&mut self.checkpoints),
            told: std::mem::take(&mut self.told),
        }
    }

    /// Folds the last rows again, to keep them.
    pub(super) fn fold_tail(&mut self, file: &File, walked: Walked) {
        let first = walked.rows.saturating_sub(TAIL_ROWS);
        self.rows_before = walked.rows_before;
        self.checkpoints = walked.checkpoints;
        self.told = walked.told;
        let mut pieces = Pieces::new(file);
        let mut tail = self.walk_to_row(first);
        while tail.entry < self.active.len() {
            let item = self.item(&tail, &mut pieces);
            self.take_extras_before_entry(&mut tail);
            self.take(&mut tail, item, Images::Named);
        }
        self.take_extras(&mut tail, u64::MAX);
        self.tail = tail;
    }

    /// Folds what was appended, and gives its messages.
    pub(super) fn fold_on(&mut self, file: &File) -> Vec<Message> {
        let mut pieces = Pieces::new(file);
        let mut walk = std::mem::take(&mut self.tail);
        let mut messages = Vec::new();
        while walk.entry < self.active.len() {
            self.note_place(&mut walk);
            let mut item = self.item(&walk, &mut pieces);
            self.note(item.as_ref(), &walk);
            if let Some(Item::Message(message)) = &mut item {
                self.name_images(message, walk.entry);
                messages.push(message.clone());
            }
            self.take(&mut walk, item, Images::Named);
            if walk.controller.rows().len() > 2 * TAIL_ROWS {
                walk.controller.drop_rows_before(walk.controller.total() - TAIL_ROWS);
            }
        }
        self.tail = walk;
        messages
    }

    /// A walk that stands as near before this row as is remembered.
    pub(super) fn walk_to_row(&self, row: usize) -> Walk {
        let behind = self.checkpoints.partition_point(|checkpoint| checkpoint.rows <= row);
        behind.checked_sub(1).map_or_else(Walk::default, |place| self.checkpoints[place].walk())
    }

    /// What an entry says; nothing if it says nothing about the conversation. None if it cannot be read.
    pub(super) fn item(&self, walk: &Walk, pieces: &mut Pieces<'_>) -> Option<Item> {
        let entry = self.entry_at(walk.entry).filter(|entry| entry.kind.is_telling());
        let Some(entry) = entry else { return Some(Item::Nothing) };
        pieces.piece(entry.offset, entry.length).and_then(read_entry)
    }

    pub(super) fn entry_at(&self, place: usize) -> Option<&Entry> {
        self.active.get(place).and_then(|number| self.index.entry(*number))
    }

    /// Folds the entry that is next.
    pub(super) fn take(&self, walk: &mut Walk, item: Option<Item>, images: Images) -> Report {
        let report = match item {
            Some(Item::Message(mut message)) => {
                match images {
                    Images::Named => self.name_images(&mut message, walk.entry),
                    Images::Dropped => drop_images(&mut message),
                }
                walk.controller.fold_history_message(message)
            }
            _ => Report::new(),
        };
        walk.entry += 1;
        report
    }

    fn name_images(&self, message: &mut Message, place: usize) {
        if let Some(entry) = self.entry_at(place) {
            self.blobs.take_from_file(message, &self.path, entry.offset, entry.length);
        }
    }

    /// What happened before the next entry was written.
    pub(super) fn take_extras_before_entry(&self, walk: &mut Walk) {
        let time = self.entry_at(walk.entry).map_or(0, |entry| entry.time);
        self.take_extras(walk, time);
    }

    /// What happened before this time and is not in the walk yet.
    pub(super) fn take_extras(&self, walk: &mut Walk, time: u64) {
        while let Some(extra) = self.extras.get(walk.extra).filter(|extra| extra.at < time) {
            for event in &extra.events {
                let mut event = event.clone();
                self.blobs.take_from_event(&mut event);
                walk.controller.handle_server_event(event);
            }
            walk.extra += 1;
        }
    }

    /// Before an entry is folded for the first time: what comes before it, how many rows there are, and, now and
    /// then, where the fold stands.
    fn note_place(&mut self, walk: &mut Walk) {
        self.take_extras_before_entry(walk);
        let rows = walk.controller.total();
        self.rows_before.push(rows);
        let since = rows - self.checkpoints.last().map_or(0, |checkpoint| checkpoint.rows);
        // A fold that remembers much is kept the more seldom.
        if since >= CHECKPOINT_ROWS.max(walk.controller.fold().entry_count())
            && walk.controller.has_no_pending_rows()
        {
            let fold = walk.controller.fold().clone();
            self.checkpoints.push(Checkpoint { rows, entry: walk.entry, extra: walk.extra, fold });
        }
    }

    fn note(&mut self, item: Option<&Item>, walk: &Walk) {
        match item {
            Some(Item::Message(message)) => {
                self.told.evidence = Evidence::told_by(message).unwrap_or(self.told.evidence);
            }
            Some(Item::Model { provider, model_id }) => {
                self.told.model = Some((provider.clone(), model_id.clone()));
            }
            Some(Item::ThinkingLevel(level)) => self.told.thinking_level = Some(level.clone()),
            Some(Item::Nothing) => {}
            None => {
                tracing::debug!(path = %self.path.display(), entry = walk.entry, "an entry cannot be read");
                self.told.unreadable += 1;
            }
        }
    }
}

fn drop_images(message: &mut Message) {
    message.images_mut().for_each(|image| image.data = String::new());
}
