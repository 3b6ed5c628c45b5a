//! Reads on in a session file that another program writes.

use std::fs::File;

use pilothouse_agents::history::index::{Growth, IndexEntry};
use pilothouse_agents::history::record::{EntryKind, Role};
use pilothouse_core::conversation::message::Message;
use pilothouse_core::limits::TAIL_ROWS;
use pilothouse_core::protocol::event::Event;

use super::super::source::Stamp;
use super::HistoryFile;

/// What has become of a session file.
#[derive(Clone, Debug, PartialEq)]
pub enum FileChange {
    /// Nothing that is shown. Title, model and the like may have changed.
    Unchanged,
    /// The conversation goes on with these messages. `live_events` tells what they are to a live session.
    Appended(Vec<Message>),
    /// The conversation is another one now, or has grown by more than is worth telling: it has to be opened again.
    Replaced,
    /// There is no such file any more.
    Deleted,
}

/// How far the conversation is told: what the file had of it then.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Until {
    entries: usize,
    leaf: Option<u32>,
}

impl HistoryFile {
    /// Reads what was appended since, and tells what it is to the conversation. After `Replaced` or `Deleted` this says
    /// nothing sensible any more.
    pub fn follow(&mut self) -> FileChange {
        match self.read_on() {
            Ok(()) => self.take_appended(),
            Err(unfit) => unfit,
        }
    }

    /// What was read and has not been told yet is to the conversation. Reads nothing that was not looked at.
    pub fn take_appended(&mut self) -> FileChange {
        let Ok(file) = File::open(&self.path) else { return FileChange::Deleted };
        let Until { entries, leaf } = self.until;
        let known = u32::try_from(entries).unwrap_or(u32::MAX);
        self.told_until_here();
        let Growth::Continued(new) = self.index.growth(known, leaf) else {
            return FileChange::Replaced;
        };
        if new.len() > TAIL_ROWS || new.iter().any(|number| self.is_before_an_extra(*number)) {
            return FileChange::Replaced;
        }
        self.active.extend(new);
        let messages = self.fold_on(&file);
        if messages.is_empty() { FileChange::Unchanged } else { FileChange::Appended(messages) }
    }

    /// Reads what was appended since and tells nothing yet: whose it is can be asked before. False if it is another
    /// file by now, or none.
    pub fn read_appended(&mut self) -> bool {
        self.read_on().is_ok()
    }

    fn read_on(&mut self) -> Result<(), FileChange> {
        let file = File::open(&self.path).map_err(|_| FileChange::Deleted)?;
        let stamp = Stamp::of(&file.metadata().map_err(|_| FileChange::Deleted)?);
        if !stamp.is_same_file(self.stamp) || stamp.length < self.progress.read || !self.progress.fits(&file)
        {
            return Err(FileChange::Replaced);
        }
        let index = &mut self.index;
        self.progress.read_on(&file, |bytes| index.feed(bytes)).map_err(|_| FileChange::Deleted)?;
        index.end();
        self.stamp = stamp;
        Ok(())
    }

    pub(super) fn told_until_here(&mut self) {
        self.until = Until { entries: self.entry_count(), leaf: self.index.leaf() };
    }

    /// How many entries the file has, on all branches.
    pub fn entry_count(&self) -> usize {
        self.index.entries().len()
    }

    /// When the messages of people and models from this entry on were made; 0 where one does not say. On all branches,
    /// in the order of the file.
    pub fn message_times_from(&self, entry: usize) -> impl Iterator<Item = u64> {
        let new = self.index.entries().iter().skip(entry);
        let spoken =
            |entry: &&IndexEntry| matches!(entry.kind, EntryKind::Message(Role::User | Role::Assistant));
        new.filter(spoken).map(|entry| entry.message_time)
    }

    /// Opened again, the entry would stand before something that is shown before it now.
    fn is_before_an_extra(&self, number: u32) -> bool {
        let time = self.index.entry(number).map_or(0, |entry| entry.time);
        let Some(extra) = self.extras.last().filter(|extra| extra.at >= time) else { return false };
        let active = self.active.iter().filter_map(|number| self.index.entry(*number));
        Some(extra.at) >= active.map(|entry| entry.time).max()
    }
}

/// What messages of history are to a session that is live: folding these gives the rows that opening the file again
/// would. None of them is a step of the session's state.
pub fn live_events(messages: Vec<Message>) -> impl Iterator<Item = Event> {
    messages.into_iter().flat_map(|message| {
        // History has no ends of runs: a message of the person's is one.
        let ended = matches!(message, Message::User { .. }).then_some(Event::AgentEnd { will_retry: false });
        ended.into_iter().chain([Event::MessageEnd { message }])
    })
}
