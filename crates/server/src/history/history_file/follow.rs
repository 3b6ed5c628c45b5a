//! Reads entries appended to a session file by our own agent or by another program.

use std::fs::File;

use pilothouse_agents::history::index::{Growth, IndexEntry};
use pilothouse_agents::history::record::{EntryKind, Role};
use pilothouse_core::conversation::message::Message;
use pilothouse_core::limits::TAIL_ROWS;
use pilothouse_core::protocol::event::Event;

use super::super::source::FileStamp;
use super::HistoryFile;

/// The change of a session file since the last call.
#[derive(Clone, Debug, PartialEq)]
pub enum FileChange {
    /// No row changed. Title, model or thinking level may have.
    Unchanged,
    /// These messages were appended to the conversation. `live_events` turns them into events.
    Appended(Vec<Message>),
    /// The file was replaced, another branch is active, or too much was appended: the file has to be opened again.
    Replaced,
    /// The file no longer exists or cannot be read.
    Deleted,
}

/// The state of the index when `take_appended` was last called.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TakenUntil {
    entries: usize,
    leaf: Option<u32>,
}

impl HistoryFile {
    /// Reads appended entries and adds them to the conversation. After `Replaced` or `Deleted` this history is
    /// obsolete and must not be used any more.
    pub fn follow(&mut self) -> FileChange {
        match self.index_appended() {
            Ok(()) => self.take_appended(),
            Err(change) => change,
        }
    }

    /// Adds the entries read by `read_appended` to the conversation. Reads no further ones.
    pub fn take_appended(&mut self) -> FileChange {
        let Ok(file) = File::open(&self.path) else { return FileChange::Deleted };
        let TakenUntil { entries, leaf } = self.taken_until;
        let known = u32::try_from(entries).unwrap_or(u32::MAX);
        self.mark_taken();
        let Growth::Continued(new) = self.index.growth(known, leaf) else {
            return FileChange::Replaced;
        };
        if new.len() > TAIL_ROWS || new.iter().any(|number| self.precedes_shown_extra(*number)) {
            return FileChange::Replaced;
        }
        self.active.extend(new);
        let messages = self.fold_appended(&file);
        if messages.is_empty() { FileChange::Unchanged } else { FileChange::Appended(messages) }
    }

    /// Reads appended entries without adding them to the conversation, so that the caller can first decide who wrote
    /// them. Returns false if the file was replaced or deleted.
    pub fn read_appended(&mut self) -> bool {
        self.index_appended().is_ok()
    }

    fn index_appended(&mut self) -> Result<(), FileChange> {
        let file = File::open(&self.path).map_err(|_| FileChange::Deleted)?;
        let stamp = FileStamp::of(&file.metadata().map_err(|_| FileChange::Deleted)?);
        if !stamp.is_same_file(self.stamp)
            || stamp.length < self.progress.read
            || !self.progress.matches(&file)
        {
            return Err(FileChange::Replaced);
        }
        let index = &mut self.index;
        self.progress.read_to_end(&file, |bytes| index.feed(bytes)).map_err(|_| FileChange::Deleted)?;
        index.flush();
        self.stamp = stamp;
        Ok(())
    }

    pub(super) fn mark_taken(&mut self) {
        self.taken_until = TakenUntil { entries: self.entry_count(), leaf: self.index.leaf() };
    }

    /// The number of entries that were read, on all branches.
    pub fn entry_count(&self) -> usize {
        self.index.entries().len()
    }

    /// The times of the user's and the model's messages from this entry on; 0 for a message without a time. Covers all
    /// branches, in file order.
    pub fn message_times_from(&self, entry: usize) -> impl Iterator<Item = u64> {
        let new = self.index.entries().iter().skip(entry);
        let is_counted =
            |entry: &&IndexEntry| matches!(entry.kind, EntryKind::Message(Role::User | Role::Assistant));
        new.filter(is_counted).map(|entry| entry.message_time)
    }

    /// Whether a new entry would precede an extra if the file were opened again, although the extra is already shown.
    fn precedes_shown_extra(&self, number: u32) -> bool {
        let time = self.index.entry(number).map_or(0, |entry| entry.time);
        let Some(extra) = self.extras.last().filter(|extra| extra.at >= time) else { return false };
        let active = self.active.iter().filter_map(|number| self.index.entry(*number));
        Some(extra.at) >= active.map(|entry| entry.time).max()
    }
}

/// Turns messages of a file into events for a live session: folding them produces the same rows as opening the file
/// again. None of them changes the state of the session.
pub fn live_events(messages: Vec<Message>) -> impl Iterator<Item = Event> {
    messages.into_iter().flat_map(|message| {
        // Files do not record the end of a run: a user message implies it.
        let run_end =
            matches!(message, Message::User { .. }).then_some(Event::AgentEnd { will_retry: false });
        run_end.into_iter().chain([Event::MessageEnd { message }])
    })
}
