//! One owner per session file. Agents do not lock their files: two processes on one file make the conversation branch
//! silently. A message in the file that our own process has not reported was therefore written by another program: the
//! session is followed, and nothing is written here until the user takes it over.
//!
//! Messages are attributed by their times. Our own process writes a message a little before it reports it, so nothing is
//! attributed to another program while our process works, unless a message stays unreported for seconds.
//!
//! The file is read on a blocking thread, never in the session's task.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pilothouse_agents::history::facts::LastTurn;
use pilothouse_core::SessionState;
use pilothouse_core::conversation::message::Message;
use pilothouse_core::limits::{
    EXTERNAL_WRITER_RUN_SECONDS, EXTERNAL_WRITER_SECONDS, REMEMBERED_MESSAGE_TIMES,
    UNREPORTED_MESSAGE_SECONDS,
};
use pilothouse_core::protocol::MessagesPage;
use pilothouse_core::protocol::event::Event;
use tokio::time::Instant;

use crate::agent::process::programs::Program;
use crate::history::HistoryFile;
use crate::history::history_file::FileChange;
use crate::hub::elsewhere::Elsewhere;
use crate::session::SessionOrigin;
use crate::session::recovery;
use crate::store::Store;

/// The delay between a change of the file and the check of its new messages.
const CHECK_DELAY: Duration = Duration::from_secs(1);

/// The session's file as far as it was read, and who writes it.
#[derive(Debug, Default)]
pub(in crate::session) struct FileOwnership {
    history: Option<SharedHistory>,
    /// The times of the newest messages that our own process has reported.
    own_times: VecDeque<u64>,
    /// The number of entries that were attributed or shown.
    checked: usize,
    check_at: Option<Instant>,
    /// When a message was first seen that our working process has not reported.
    unreported_since: Option<Instant>,
    /// Another program is only suspected.
    suspected: bool,
    /// The file was replaced after the conversation was read from it.
    replaced: bool,
    /// Until when another program counts as working in this session.
    active_until: Option<Instant>,
    /// The other program, if its process was found.
    program: Option<Program>,
    /// The number of entries in the file when the user took the session over: what another program wrote before does not
    /// matter.
    accepted: usize,
    /// When to look for programs again.
    look_at: Option<Instant>,
}

/// The file, shared with threads that read older rows of it.
#[derive(Clone, Debug)]
pub(in crate::session) struct SharedHistory(Arc<Mutex<HistoryFile>>);

impl SharedHistory {
    /// Uses the file on a blocking thread.
    pub(in crate::session) async fn run<T: Send + 'static>(
        &self,
        task: impl FnOnce(&mut HistoryFile) -> T + Send + 'static,
    ) -> Option<T> {
        let history = self.clone();
        tokio::task::spawn_blocking(move || history.run_blocking(task)).await.ok()
    }

    fn run_blocking<T>(&self, task: impl FnOnce(&mut HistoryFile) -> T) -> T {
        task(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Up to `limit` rows before row `before`. Blocks.
    pub(in crate::session) fn rows(&self, before: usize, limit: usize) -> Option<MessagesPage> {
        self.run_blocking(|history| history.rows(before, limit))
    }
}

/// The author of messages that were not checked before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::session) enum Author {
    Ours,
    External,
    Both,
}

/// The result of a check of the file.
#[derive(Debug, PartialEq)]
pub(in crate::session) struct Finding {
    /// Another program writes the file: our process has to give way.
    pub(in crate::session) external: bool,
    /// An earlier suspicion turned out to be wrong.
    pub(in crate::session) cleared: bool,
    pub(in crate::session) action: FileAction,
}

/// The change that the shown conversation needs.
#[derive(Debug, PartialEq)]
pub(in crate::session) enum FileAction {
    None,
    /// The file may have a new title.
    UpdateTitle,
    /// Another program has appended these messages.
    Append(Vec<Message>),
    /// The conversation has to be read again.
    Reload,
}

/// The result of a check while our own process works.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::session) enum Suspicion {
    /// An earlier suspicion turned out to be wrong.
    Unfounded,
    /// Nothing is suspected, or not for long enough to be shown.
    Open,
    /// The suspicion has lasted long enough to be shown.
    Confirmed,
}

impl FileOwnership {
    pub(in crate::session) const fn history(&self) -> Option<&SharedHistory> {
        self.history.as_ref()
    }

    pub(in crate::session) const fn is_read(&self) -> bool {
        self.history.is_some()
    }

    /// The conversation was read from this file.
    pub(in crate::session) fn opened(&mut self, history: Option<HistoryFile>) {
        self.replaced = false;
        self.checked = history.as_ref().map_or(0, HistoryFile::entry_count);
        self.history = history.map(|history| SharedHistory(Arc::new(Mutex::new(history))));
    }

    /// Remembers the times of messages that our own process reports.
    pub(in crate::session) fn observe(&mut self, event: &Event) {
        if let Event::MessageStart {
            message: Message::User { timestamp, .. } | Message::Assistant { timestamp, .. },
        }
        | Event::MessageEnd {
            message: Message::User { timestamp, .. } | Message::Assistant { timestamp, .. },
        } = event
            && let Some(timestamp) = timestamp
            && self.own_times.back() != Some(timestamp)
        {
            if self.own_times.len() >= REMEMBERED_MESSAGE_TIMES {
                self.own_times.pop_front();
            }
            self.own_times.push_back(*timestamp);
        }
    }

    /// The time of the newest message that our own process has reported.
    pub(in crate::session) fn last_own_time(&self) -> Option<u64> {
        self.own_times.back().copied()
    }

    fn is_own(&self, time: u64) -> bool {
        // The newest times are looked up most often.
        self.own_times.iter().rev().any(|own| *own == time)
    }

    fn author(&self, times: &[u64]) -> Author {
        let (mut ours, mut external) = (false, false);
        for time in times {
            let own = *time == 0 || self.is_own(*time);
            ours |= own;
            external |= !own;
        }
        match (ours, external) {
            (_, false) => Author::Ours,
            (false, true) => Author::External,
            (true, true) => Author::Both,
        }
    }

    /// Reads what was appended to the file, without showing it, and attributes it. Opens the file again if it was
    /// replaced.
    pub(in crate::session) async fn read_appended(
        &mut self,
        origin: &SessionOrigin,
        store: &Store,
    ) -> Author {
        let Some(history) = self.history.clone() else { return Author::Ours };
        let is_same_file = history.run(HistoryFile::read_appended).await.unwrap_or_default();
        if !is_same_file {
            self.reopen(origin, store).await;
        }
        let checked = self.checked;
        self.author(&self.message_times_from(checked).await)
    }

    async fn message_times_from(&self, entry: usize) -> Vec<u64> {
        let Some(history) = &self.history else { return Vec::new() };
        history.run(move |history| history.message_times_from(entry).collect()).await.unwrap_or_default()
    }

    /// Whether another program has written since the user took the session over.
    async fn is_written_since_takeover(&self) -> bool {
        let times = self.message_times_from(self.checked.max(self.accepted)).await;
        self.author(&times) != Author::Ours
    }

    /// Reads what this server has recorded. The shown conversation is ahead of it and does not change.
    pub(in crate::session) async fn read_recorded(&mut self, origin: &SessionOrigin, store: &Store) {
        self.check_at = None;
        self.read_appended(origin, store).await;
        self.take_appended().await;
        self.replaced = false;
    }

    /// Opens the file again without changing the shown conversation.
    pub(in crate::session) async fn reopen(&mut self, origin: &SessionOrigin, store: &Store) {
        let (origin, store) = (origin.clone(), store.clone());
        let _ = store.flush().result().await;
        let read = tokio::task::spawn_blocking(move || recovery::read_open_session(&origin, &store));
        let opened = read.await.ok().flatten();
        self.checked = self.checked.min(opened.as_ref().map_or(0, HistoryFile::entry_count));
        self.replaced |= self.history.is_some();
        self.history = opened.map(|history| SharedHistory(Arc::new(Mutex::new(history))));
    }

    /// Adds all entries that were read to the conversation and returns the change.
    async fn take_appended(&mut self) -> Option<FileChange> {
        let taken = match &self.history {
            Some(history) => history.run(|history| (history.take_appended(), history.entry_count())).await,
            None => None,
        };
        let (change, entries) = taken.map_or((None, 0), |(change, entries)| (Some(change), entries));
        self.checked = entries;
        if std::mem::take(&mut self.replaced) { Some(FileChange::Replaced) } else { change }
    }

    /// Checks the file while our own process does not work: unreported messages are another program's.
    pub(in crate::session) async fn check(
        &mut self,
        origin: &SessionOrigin,
        store: &Store,
        has_process: bool,
    ) -> Finding {
        self.check_at = None;
        self.unreported_since = None;
        let suspected = std::mem::take(&mut self.suspected);
        match self.read_appended(origin, store).await {
            Author::Ours => {
                let action = self.take_own(origin, store, has_process).await;
                Finding { external: false, cleared: suspected, action }
            }
            Author::External => {
                let external = self.is_written_since_takeover().await;
                let action = match self.take_appended().await {
                    // Our process, which goes on, does not know these.
                    Some(FileChange::Appended(_)) if !external => FileAction::Reload,
                    Some(FileChange::Appended(messages)) => FileAction::Append(messages),
                    Some(FileChange::Replaced) => FileAction::Reload,
                    Some(FileChange::Unchanged | FileChange::Deleted) | None => FileAction::UpdateTitle,
                };
                Finding { external, cleared: false, action }
            }
            Author::Both => {
                let external = self.is_written_since_takeover().await;
                Finding { external, cleared: false, action: FileAction::Reload }
            }
        }
    }

    /// Adds messages that no other program has written to the conversation.
    pub(in crate::session) async fn take_own(
        &mut self,
        origin: &SessionOrigin,
        store: &Store,
        has_process: bool,
    ) -> FileAction {
        match self.take_appended().await {
            Some(FileChange::Replaced) if has_process => {
                self.reopen(origin, store).await;
                self.replaced = false;
                FileAction::None
            }
            Some(FileChange::Replaced) => FileAction::Reload,
            Some(FileChange::Unchanged) => FileAction::UpdateTitle,
            // Without a process of ours these are another program's: a tool result, a command, a summary.
            Some(FileChange::Appended(messages)) if !has_process => FileAction::Append(messages),
            Some(FileChange::Appended(_) | FileChange::Deleted) | None => FileAction::None,
        }
    }

    /// Checks the file while our own process works: a message that it has not reported may still be reported. `is_shown`
    /// says whether another program is shown already.
    pub(in crate::session) async fn check_while_working(
        &mut self,
        origin: &SessionOrigin,
        store: &Store,
        (now, is_shown): (Instant, bool),
    ) -> Suspicion {
        self.check_at = None;
        if self.read_appended(origin, store).await == Author::Ours {
            self.unreported_since = None;
            return if std::mem::take(&mut self.suspected) { Suspicion::Unfounded } else { Suspicion::Open };
        }
        self.check_later(now);
        if !self.is_written_since_takeover().await {
            self.unreported_since = None;
            return Suspicion::Open;
        }
        let since = *self.unreported_since.get_or_insert(now);
        if is_shown || now.duration_since(since) < Duration::from_secs(UNREPORTED_MESSAGE_SECONDS) {
            return Suspicion::Open;
        }
        self.suspected = true;
        Suspicion::Confirmed
    }

    /// Returns the messages that our own process wrote but did not report before its exit. They are not attributed to
    /// another program.
    pub(in crate::session) async fn take_rest(
        &mut self,
        origin: &SessionOrigin,
        store: &Store,
    ) -> Vec<Message> {
        match self.take_appended().await {
            Some(FileChange::Appended(mut messages)) => {
                let unreported =
                    |message: &Message| message.timestamp().is_some_and(|time| !self.is_own(time));
                messages.iter().position(unreported).map_or_else(Vec::new, |first| messages.split_off(first))
            }
            Some(FileChange::Replaced) => {
                self.reopen(origin, store).await;
                self.replaced = false;
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// Schedules a check of the file.
    pub(in crate::session) fn check_later(&mut self, now: Instant) {
        self.check_at.get_or_insert(now + CHECK_DELAY);
    }

    pub(in crate::session) fn is_check_due(&self, now: Instant) -> bool {
        self.check_at.is_some_and(|at| at <= now)
    }

    /// Notes that another program has written. It counts as working for a while, and for longer in the middle of a
    /// run, because a tool may take long.
    pub(in crate::session) async fn expect_external_writer(&mut self, now: Instant) {
        let unfinished = self.resting_state().await == Some(SessionState::Paused);
        let seconds = if unfinished { EXTERNAL_WRITER_RUN_SECONDS } else { EXTERNAL_WRITER_SECONDS };
        self.active_until = Some(now + Duration::from_secs(seconds));
    }

    /// Another program is at work; without a process it counts as working for this time.
    pub(in crate::session) fn set_elsewhere(&mut self, found: Elsewhere, now: Instant) {
        self.program = found.program;
        self.active_until = self.active_until.max(Some(now + found.remaining));
    }

    /// Whether the other program, whose process was not found, has not written for so long that it counts as gone.
    pub(in crate::session) fn is_external_writer_gone(&self, now: Instant) -> bool {
        self.program.is_none() && self.active_until.is_some_and(|until| until <= now)
    }

    pub(in crate::session) fn forget_external_writer(&mut self) {
        self.active_until = None;
        self.program = None;
    }

    pub(in crate::session) const fn program(&self) -> Option<&Program> {
        self.program.as_ref()
    }

    /// The user continues here: what another program wrote so far does not count any more.
    pub(in crate::session) async fn take_over(&mut self) {
        let entries = match &self.history {
            Some(history) => history.run(|history| history.entry_count()).await,
            None => None,
        };
        self.accepted = entries.unwrap_or_default();
        self.unreported_since = None;
        self.suspected = false;
        self.forget_external_writer();
    }

    /// Looks for programs again at this time; `None` if the session is not shown.
    pub(in crate::session) const fn look_at(&mut self, at: Option<Instant>) {
        self.look_at = at;
    }

    pub(in crate::session) const fn is_look_scheduled(&self) -> bool {
        self.look_at.is_some()
    }

    pub(in crate::session) fn is_look_due(&self, now: Instant) -> bool {
        self.look_at.is_some_and(|at| at <= now)
    }

    pub(in crate::session) fn next_deadline(&self) -> Option<Instant> {
        let until = self.active_until.filter(|_| self.program.is_none());
        self.check_at.into_iter().chain(until).chain(self.look_at).min()
    }

    /// The file's last turn, and whether our own process has reported its prompt.
    pub(in crate::session) async fn last_turn(&self) -> Option<(LastTurn, bool)> {
        let turn = self.history.as_ref()?.run(|history| history.last_turn()).await?;
        Some((turn, self.is_own(turn.prompted)))
    }

    /// The state of the session while no agent runs it, according to the file.
    pub(in crate::session) async fn resting_state(&self) -> Option<SessionState> {
        self.history.as_ref()?.run(|history| history.resting_state()).await
    }

    pub(in crate::session) async fn title(&self) -> Option<String> {
        self.history.as_ref()?.run(|history| history.title()).await.filter(|title| !title.is_empty())
    }

    /// Returns those of these times at which the file has a user message.
    pub(in crate::session) async fn prompts_in_file(&self, times: Vec<u64>) -> Vec<u64> {
        let Some(history) = self.history.as_ref().filter(|_| !times.is_empty()) else { return Vec::new() };
        let found = history.run(move |history| {
            times.into_iter().filter(|time| history.has_prompt(*time)).collect::<Vec<u64>>()
        });
        found.await.unwrap_or_default()
    }

    pub(in crate::session) async fn has_reply(&self, time: u64) -> bool {
        match &self.history {
            Some(history) => history.run(move |history| history.has_reply(time)).await.unwrap_or_default(),
            None => false,
        }
    }
}

#[cfg(test)]
#[path = "file_ownership_tests.rs"]
mod tests;
