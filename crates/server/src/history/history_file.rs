//! The conversation in one session file, at any size. In memory are where each entry stands, the last rows, and now and
//! then where the fold stood; older rows are folded again from the nearest such place when somebody asks for them, and
//! come out exactly as one fold of everything would have them.
//!
//! `fold` walks the active branch, `pages` finds rows and entries, `follow` reads on. Nothing here writes, waits or
//! knows pages and processes.

mod fold;
mod follow;
mod pages;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use pilothouse_agents::history::entry::{Extra, Item, read_entry};
use pilothouse_agents::history::index::{Entry, SessionIndex};
use pilothouse_agents::history::record::{Kind, Role};
use pilothouse_core::conversation::message::Message;
use pilothouse_core::limits::TAIL_ROWS;
use pilothouse_core::session::machine::Evidence;
use pilothouse_core::{MessageController, SessionState};

use super::source::{Pieces, Progress, Stamp};
use crate::http::blobs::Blobs;
use fold::{Checkpoint, Walk, Walked};
use follow::Until;

pub use follow::{Followed, events_of};

#[derive(Debug)]
pub struct HistoryFile {
    path: Arc<Path>,
    blobs: Blobs,
    stamp: Stamp,
    progress: Progress,
    index: SessionIndex,
    /// In the order of their times.
    extras: Vec<Extra>,
    /// The numbers of the entries of the active branch, and how many rows there are before each.
    active: Vec<u32>,
    rows_before: Vec<usize>,
    checkpoints: Vec<Checkpoint>,
    /// The end of the conversation.
    tail: Walk,
    told: Told,
    until: Until,
}

/// What the entries of the branch say beside their rows.
#[derive(Clone, Debug, Default)]
struct Told {
    evidence: Evidence,
    model: Option<(String, String)>,
    thinking_level: Option<String>,
    /// Entries that turned out to be unreadable.
    unreadable: usize,
}

impl HistoryFile {
    /// Reads a session file. None if it is not one, or cannot be read.
    pub fn open(path: &Path, extras: &[Extra], blobs: &Blobs) -> Option<Self> {
        Some(Self::scan(path)?.fold(extras, blobs))
    }

    /// Reads what stands where, and nothing in full.
    pub fn scan(path: &Path) -> Option<Scanned> {
        let file = File::open(path).ok()?;
        let stamp = Stamp::of(&file.metadata().ok()?);
        let mut index = SessionIndex::default();
        let mut progress = Progress::default();
        progress.read_on(&file, |bytes| index.feed(bytes)).ok()?;
        index.end();
        index.facts().is_session().then(|| Scanned {
            path: path.into(),
            file,
            stamp,
            progress,
            index,
            ahead: None,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn id(&self) -> &str {
        &self.index.facts().id
    }

    pub fn cwd(&self) -> &str {
        &self.index.facts().cwd
    }

    /// The name given to the session.
    pub fn name(&self) -> Option<&str> {
        self.index.facts().name.as_deref()
    }

    /// The given name, else the first words.
    pub fn title(&self) -> String {
        self.index.facts().title()
    }

    /// Its provider and its id.
    pub fn model(&self) -> Option<(&str, &str)> {
        self.told.model.as_ref().map(|(provider, id)| (provider.as_str(), id.as_str()))
    }

    pub fn thinking_level(&self) -> Option<&str> {
        self.told.thinking_level.as_deref()
    }

    /// Lines that could not be read.
    pub fn skipped_lines(&self) -> usize {
        self.index.skipped_lines() + self.told.unreadable
    }

    /// The state of the session when nobody runs it.
    pub fn resting_state(&self) -> SessionState {
        self.told.evidence.state()
    }

    /// When the person or the model spoke last, in milliseconds since 1970.
    pub fn spoken(&self) -> Option<u64> {
        self.index.facts().spoken
    }

    /// The last rows, of a session at which nobody is at work: what has not ended by now does not.
    pub fn tail(&self) -> MessageController {
        let mut controller = self.tail_at_work();
        controller.finish_history();
        controller
    }

    /// The last rows, of a session that another program may be writing: calls that have no result yet still run.
    pub fn tail_at_work(&self) -> MessageController {
        let mut controller = self.tail.controller.clone();
        controller.drop_rows_before(controller.total().saturating_sub(TAIL_ROWS));
        controller
    }

    /// Whether the file has this message of the person's, by its own time, on any branch.
    pub fn has_prompt(&self, timestamp: u64) -> bool {
        has_message(&self.index, Role::User, timestamp)
    }

    /// Whether the file has this reply, by its own time, on any branch.
    pub fn has_reply(&self, timestamp: u64) -> bool {
        has_message(&self.index, Role::Assistant, timestamp)
    }
}

/// A session file of which is known what stands where: enough to say what belongs between its entries.
#[derive(Debug)]
pub struct Scanned {
    path: Arc<Path>,
    file: File,
    stamp: Stamp,
    progress: Progress,
    index: SessionIndex,
    ahead: Option<Walked>,
}

impl Scanned {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file is still as it was when it was read.
    pub fn is_fresh(&self) -> bool {
        Stamp::at(&self.path) == Some(self.stamp)
    }

    /// Walks through the conversation as the file alone has it, so that whoever opens it need not wait for that.
    pub fn walked(self) -> Self {
        let (mut history, file) = self.begin(&[], &Blobs::default());
        let walked = history.walk_all(&file);
        Self {
            path: history.path,
            file,
            stamp: history.stamp,
            progress: history.progress,
            index: history.index,
            ahead: Some(walked),
        }
    }

    pub fn has_prompt(&self, timestamp: u64) -> bool {
        has_message(&self.index, Role::User, timestamp)
    }

    pub fn has_reply(&self, timestamp: u64) -> bool {
        has_message(&self.index, Role::Assistant, timestamp)
    }

    /// The person's messages from this time on, with their times, on any branch.
    pub fn user_messages_since(&self, at: u64) -> Vec<(u64, String)> {
        let mut pieces = Pieces::new(&self.file);
        let of_user = |entry: &&Entry| entry.kind == Kind::Message(Role::User) && entry.message_time >= at;
        let said = self.index.entries().iter().filter(of_user).filter_map(|entry| {
            match pieces.piece(entry.offset, entry.length).and_then(read_entry)? {
                Item::Message(Message::User { content, .. }) => Some((entry.message_time, content.text())),
                _ => None,
            }
        });
        said.collect()
    }

    /// Folds the conversation, with what the file does not know in its place.
    pub fn fold(mut self, extras: &[Extra], blobs: &Blobs) -> HistoryFile {
        let ahead = self.ahead.take().filter(|_| extras.is_empty());
        let (mut history, file) = self.begin(extras, blobs);
        let walked = ahead.unwrap_or_else(|| history.walk_all(&file));
        history.fold_tail(&file, walked);
        history.told_until_here();
        if history.skipped_lines() > 0 {
            let lines = history.skipped_lines();
            tracing::warn!(path = %history.path.display(), lines, "unreadable lines in a session file");
        }
        history
    }

    /// The conversation before anything of it is folded, and its file.
    fn begin(self, extras: &[Extra], blobs: &Blobs) -> (HistoryFile, File) {
        let mut extras = extras.to_vec();
        extras.sort_by_key(|extra| extra.at);
        let history = HistoryFile {
            path: self.path,
            blobs: blobs.clone(),
            stamp: self.stamp,
            progress: self.progress,
            active: self.index.active(),
            index: self.index,
            extras,
            rows_before: Vec::new(),
            checkpoints: Vec::new(),
            tail: Walk::default(),
            told: Told::default(),
            until: Until::default(),
        };
        (history, self.file)
    }
}

/// A prompt and its reply may be of the same millisecond.
fn has_message(index: &SessionIndex, role: Role, timestamp: u64) -> bool {
    index.entries().iter().any(|entry| entry.message_time == timestamp && entry.kind == Kind::Message(role))
}

#[cfg(test)]
mod tests;
