//! The conversation in one session file of any size. Memory holds the position of each entry, the newest rows, and a
//! checkpoint of the fold every few hundred rows. Older rows are folded again from the nearest checkpoint on request;
//! the result is identical to one fold of the whole file.
//!
//! `fold` folds the active branch into rows, `pages` finds rows and entries, `follow` reads appended entries, `branches`
//! lists the other branches and opens one of them.

mod branches;
mod fold;
mod follow;
mod pages;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use pilothouse_agents::history::entry::{EntryContent, Extra, read_entry};
use pilothouse_agents::history::facts::LastTurn;
use pilothouse_agents::history::index::{IndexEntry, SessionIndex};
use pilothouse_agents::history::record::{EntryKind, Role};
use pilothouse_core::conversation::message::Message;
use pilothouse_core::conversation::plan::PlanStep;
use pilothouse_core::limits::TAIL_ROWS;
use pilothouse_core::session::machine::Evidence;
use pilothouse_core::{MessageController, SessionState};
use serde_json::Value;

use super::source::{FileStamp, RangeReader, ReadProgress};
use crate::http::blobs::Blobs;
use fold::{Checkpoint, FoldCursor, FullFold};
use follow::TakenUntil;

pub use follow::{FileChange, live_events};

/// The number of shell commands that are compared with those in progress when the server was killed.
const RECENT_SHELL_COMMANDS: usize = 50;

/// The conversation in one session file.
#[derive(Debug)]
pub struct HistoryFile {
    path: Arc<Path>,
    blobs: Blobs,
    stamp: FileStamp,
    progress: ReadProgress,
    index: SessionIndex,
    /// Sorted by time.
    extras: Vec<Extra>,
    /// The numbers of the entries in the active branch, or in the branch that was opened.
    active: Vec<u32>,
    /// The number of rows before each entry of the active branch.
    rows_before: Vec<usize>,
    checkpoints: Vec<Checkpoint>,
    /// The fold at the end of the conversation, with the newest rows.
    tail: FoldCursor,
    facts: BranchFacts,
    taken_until: TakenUntil,
}

/// Properties of the active branch besides its rows.
#[derive(Clone, Debug, Default)]
struct BranchFacts {
    evidence: Evidence,
    model: Option<(String, String)>,
    thinking_level: Option<String>,
    mode: Option<String>,
    options: BTreeMap<String, String>,
    unreadable_entries: usize,
}

impl HistoryFile {
    /// Reads a session file. Returns `None` if it is not one or cannot be read.
    pub fn open(path: &Path, extras: &[Extra], blobs: &Blobs) -> Option<Self> {
        Some(Self::scan(path)?.fold(extras, blobs))
    }

    /// Indexes the entries of a session file without reading them in full.
    pub fn scan(path: &Path) -> Option<ScannedFile> {
        let file = File::open(path).ok()?;
        let stamp = FileStamp::of(&file.metadata().ok()?);
        let mut index = SessionIndex::default();
        let mut progress = ReadProgress::default();
        progress.read_to_end(&file, |bytes| index.feed(bytes)).ok()?;
        index.flush();
        index.facts().is_session().then(|| ScannedFile {
            path: path.into(),
            file,
            stamp,
            progress,
            index,
            prefolded: None,
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

    /// The name of the session, or a title made from its first user message.
    pub fn title(&self) -> String {
        self.index.facts().title()
    }

    /// The user gave the session its name.
    pub fn is_named_by_user(&self) -> bool {
        self.index.facts().is_named_by_user
    }

    /// The agent's own id of a session that was recorded here.
    pub fn agent_session(&self) -> Option<&str> {
        self.index.facts().agent_session.as_deref()
    }

    /// The agent's id of a session that was not loaded completely.
    pub fn import(&self) -> Option<&str> {
        self.index.facts().import.as_deref()
    }

    /// The agent's latest plan.
    pub fn plan(&self) -> &[PlanStep] {
        &self.index.facts().plan
    }

    /// The provider and the id of the model.
    pub fn model(&self) -> Option<(&str, &str)> {
        self.facts.model.as_ref().map(|(provider, id)| (provider.as_str(), id.as_str()))
    }

    pub fn thinking_level(&self) -> Option<&str> {
        self.facts.thinking_level.as_deref()
    }

    /// The agent's mode, in a session that was recorded here.
    pub fn mode(&self) -> Option<&str> {
        self.facts.mode.as_deref()
    }

    /// The values of the agent's other options, in a session that was recorded here.
    pub const fn options(&self) -> &BTreeMap<String, String> {
        &self.facts.options
    }

    /// The number of lines that could not be read.
    pub fn skipped_lines(&self) -> usize {
        self.index.skipped_lines() + self.facts.unreadable_entries
    }

    /// The state of the session while no agent runs it.
    pub fn resting_state(&self) -> SessionState {
        self.facts.evidence.state()
    }

    pub fn last_turn(&self) -> LastTurn {
        self.index.facts().last_turn(self.resting_state() == SessionState::Paused)
    }

    /// The time of the newest message of the user or the model, in milliseconds since 1970.
    pub fn last_message_time(&self) -> Option<u64> {
        self.index.facts().last_message_time
    }

    /// The newest rows of a session that no program is running: unfinished tool calls are shown as ended.
    pub fn newest_rows(&self) -> MessageController {
        let mut controller = self.newest_rows_running();
        controller.finish_history();
        controller
    }

    /// The newest rows of a session that another program may be running: tool calls without a result count as running.
    pub fn newest_rows_running(&self) -> MessageController {
        let mut controller = self.tail.controller.clone();
        controller.drop_rows_before(controller.total().saturating_sub(TAIL_ROWS));
        controller
    }

    /// Whether any branch of the file contains a user message with this timestamp.
    pub fn has_prompt(&self, timestamp: u64) -> bool {
        has_message(&self.index, Role::User, timestamp)
    }

    /// Whether any branch of the file contains a reply with this timestamp.
    pub fn has_reply(&self, timestamp: u64) -> bool {
        has_message(&self.index, Role::Assistant, timestamp)
    }
}

/// A session file whose entries are indexed but not folded yet. The caller uses it to decide which `Extra`s belong
/// between the entries, then calls `fold`.
#[derive(Debug)]
pub struct ScannedFile {
    path: Arc<Path>,
    file: File,
    stamp: FileStamp,
    progress: ReadProgress,
    index: SessionIndex,
    /// The fold of the file without extras, if it was computed in advance.
    prefolded: Option<FullFold>,
}

impl ScannedFile {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file is unchanged since it was read.
    pub fn is_fresh(&self) -> bool {
        FileStamp::at(&self.path) == Some(self.stamp)
    }

    /// Folds the conversation without extras in advance, which takes most of the time that `fold` needs.
    pub fn prefold(self) -> Self {
        let (mut history, file) = self.into_unfolded(&[], &Blobs::default());
        let full_fold = history.fold_everything(&file);
        Self {
            path: history.path,
            file,
            stamp: history.stamp,
            progress: history.progress,
            index: history.index,
            prefolded: Some(full_fold),
        }
    }

    /// Whether any branch of the file contains a user message with this timestamp.
    pub fn has_prompt(&self, timestamp: u64) -> bool {
        has_message(&self.index, Role::User, timestamp)
    }

    /// Whether any branch of the file contains a reply with this timestamp.
    pub fn has_reply(&self, timestamp: u64) -> bool {
        has_message(&self.index, Role::Assistant, timestamp)
    }

    /// The times and texts of the user messages since this time, on any branch.
    pub fn user_messages_since(&self, at: u64) -> Vec<(u64, String)> {
        let mut reader = RangeReader::new(&self.file);
        let is_wanted =
            |entry: &&IndexEntry| entry.kind == EntryKind::Message(Role::User) && entry.message_time >= at;
        let messages = self.index.entries().iter().filter(is_wanted).filter_map(|entry| {
            match reader.read(entry.offset, entry.length).and_then(read_entry)? {
                EntryContent::Message(Message::User { content, .. }) => {
                    Some((entry.message_time, content.text()))
                }
                _ => None,
            }
        });
        messages.collect()
    }

    /// The time of the last entry, in a session that was recorded here.
    pub fn last_recorded_time(&self) -> Option<u64> {
        self.index.facts().agent_session.as_ref()?;
        self.index.entries().iter().map(|entry| entry.time).max()
    }

    /// The client ids of the newest shell commands, in a session that was recorded here.
    pub fn recent_shell_commands(&self) -> Vec<String> {
        let mut reader = RangeReader::new(&self.file);
        let commands =
            self.index.entries().iter().rev().filter(|entry| entry.kind == EntryKind::Message(Role::Other));
        let ids = commands.take(RECENT_SHELL_COMMANDS).filter_map(|entry| {
            let entry: Value = serde_json::from_slice(reader.read(entry.offset, entry.length)?).ok()?;
            entry.get("clientId")?.as_str().map(str::to_owned)
        });
        ids.collect()
    }

    /// Folds the conversation, with the extras at their positions.
    pub fn fold(mut self, extras: &[Extra], blobs: &Blobs) -> HistoryFile {
        let prefolded = self.prefolded.take().filter(|_| extras.is_empty());
        let (mut history, file) = self.into_unfolded(extras, blobs);
        let full_fold = prefolded.unwrap_or_else(|| history.fold_everything(&file));
        history.fold_newest_rows(&file, full_fold);
        history.mark_taken();
        if history.skipped_lines() > 0 {
            let lines = history.skipped_lines();
            tracing::warn!(path = %history.path.display(), lines, "skipped unreadable lines of a session file");
        }
        history
    }

    /// Folds the branch that ends with this entry instead of the active one. It is complete: it does not follow the file.
    /// Returns `None` if there is no such entry.
    pub fn fold_branch(self, leaf: &str, extras: &[Extra], blobs: &Blobs) -> Option<HistoryFile> {
        let branch = self.index.branch_to(branches::entry_with_key(&self.index, leaf)?);
        let shared = branches::extras_before_departure(&self.index, &branch, extras);
        let (mut history, file) = self.into_unfolded(&shared, blobs);
        history.active = branch;
        let full_fold = history.fold_everything(&file);
        history.fold_newest_rows(&file, full_fold);
        Some(history)
    }

    /// Returns the conversation before the first entry is folded, and its file.
    fn into_unfolded(self, extras: &[Extra], blobs: &Blobs) -> (HistoryFile, File) {
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
            tail: FoldCursor::default(),
            facts: BranchFacts::default(),
            taken_until: TakenUntil::default(),
        };
        (history, self.file)
    }
}

/// Compares the role too, since a prompt and its reply may have the same timestamp.
fn has_message(index: &SessionIndex, role: Role, timestamp: u64) -> bool {
    let is_match =
        |entry: &IndexEntry| entry.message_time == timestamp && entry.kind == EntryKind::Message(role);
    index.entries().iter().any(is_match)
}

#[cfg(test)]
mod tests;
