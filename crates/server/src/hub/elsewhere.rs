//! Sessions in which another program works, or that it has open. An agent does not lock its file, so this is found out by
//! the running programs (Linux), and by a file whose last turn was begun elsewhere, has not ended, and is recent.
//!
//! Sessions that are open here look themselves; the rows of the others are updated here.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use pilothouse_agents::history::facts::LastTurn;
use pilothouse_core::limits::{
    EXTERNAL_WRITER_RUN_SECONDS, PROGRAM_SCAN_SECONDS, REMEMBERED_TAKEOVERS, TAKEN_OVER_PROGRAMS,
};
use pilothouse_core::protocol::ServerFrame;

use super::{Hub, SessionEntry, broadcast};
use crate::agent::process::programs::{OpenSession, Program, ProgramId, running_programs};
use crate::clock::now_ms;

/// The time between two scans of the running programs.
pub const SCAN_INTERVAL: Duration = Duration::from_secs(PROGRAM_SCAN_SECONDS);

/// The running programs as of the last scan.
pub(super) type Scan = Option<(Instant, Arc<Vec<Program>>)>;

/// The sessions that the user continues although another program has them.
#[derive(Debug, Default)]
pub(super) struct Takeovers(VecDeque<Takeover>);

#[derive(Debug, Default)]
struct Takeover {
    session: String,
    /// The time of the newest message at that moment.
    written: u64,
    programs: Vec<ProgramId>,
}

/// What is known of a session's file.
#[derive(Clone, Debug)]
pub struct SessionFile {
    pub id: String,
    pub path: PathBuf,
    pub cwd: PathBuf,
    /// The agent's folder.
    pub folder: PathBuf,
    pub turn: LastTurn,
    /// The last turn was begun here.
    pub is_ours: bool,
}

/// Another program in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// Its process, if it was found.
    pub program: Option<Program>,
    /// How long it counts as working, if there is no process.
    pub remaining: Duration,
}

/// The other sessions of the same folder.
#[derive(Clone, Copy, Debug, Default)]
struct Folder {
    /// How many of them another program has created after this one was last written. A program that has begun another
    /// session has left this one.
    later: usize,
    /// One of them was written after this one.
    has_newer: bool,
}

impl SessionFile {
    /// The programs that have the session open.
    fn programs<'a>(&self, running: &'a [Program], folder: Folder) -> Vec<&'a Program> {
        let here = |program: &&Program| {
            program.cwd == self.cwd && program.folder.as_ref().is_none_or(|folder| *folder == self.folder)
        };
        let name = self.path.file_name();
        let has_named = |program: &&Program| match &program.session {
            OpenSession::File(file) => name == Some(file),
            OpenSession::Id(id) => here(program) && self.id.starts_with(id.as_str()),
            OpenSession::Newest => here(program) && !folder.has_newer,
            OpenSession::Unknown | OpenSession::None => false,
        };
        let may_have = |program: &&Program| {
            let is_unknown = matches!(program.session, OpenSession::Unknown | OpenSession::Newest);
            is_unknown && here(program) && self.is_turn_external() && program.started_at <= self.turn.prompted
        };
        let mut found: Vec<&Program> = running.iter().filter(has_named).collect();
        let mut candidates: Vec<&Program> =
            running.iter().filter(|program| !has_named(program) && may_have(program)).collect();
        // The one that has created the session comes first: it started last before that.
        candidates.sort_by_key(|program| {
            (program.started_at > self.turn.session_created, std::cmp::Reverse(program.started_at))
        });
        if candidates.len() > folder.later {
            found.extend(candidates);
        }
        found
    }

    /// The last turn was begun by another program, after the session was created: a fork begins with a copy.
    const fn is_turn_external(&self) -> bool {
        !self.is_ours && self.turn.prompted > 0 && self.turn.prompted >= self.turn.session_created
    }

    /// How long the last turn counts as being in progress, if it does.
    fn remaining(&self, now: u64) -> Option<Duration> {
        let age = now.abs_diff(self.turn.written);
        let left = (EXTERNAL_WRITER_RUN_SECONDS * 1_000).checked_sub(age).filter(|left| *left > 0)?;
        (self.turn.is_open && self.is_turn_external()).then(|| Duration::from_millis(left))
    }

    /// The other program in this session, unless the user has taken the session over from it.
    fn elsewhere(
        &self,
        running: &[Program],
        folder: Folder,
        taken: &Takeovers,
        now: u64,
    ) -> Option<Elsewhere> {
        let takeover = taken.of(&self.id).filter(|takeover| {
            let has_written = self.is_turn_external() && self.turn.written > takeover.written;
            !has_written
        });
        let is_taken =
            |program: &&&Program| takeover.is_some_and(|takeover| takeover.programs.contains(&program.id));
        let program =
            self.programs(running, folder).iter().find(|program| !is_taken(program)).copied().cloned();
        let remaining = self.remaining(now).filter(|_| takeover.is_none());
        (program.is_some() || remaining.is_some())
            .then(|| Elsewhere { program, remaining: remaining.unwrap_or_default() })
    }
}

impl Takeovers {
    fn of(&self, session: &str) -> Option<&Takeover> {
        self.0.iter().find(|takeover| takeover.session == session)
    }

    fn forget(&mut self, session: &str) {
        self.0.retain(|takeover| takeover.session != session);
    }

    fn add(&mut self, file: &SessionFile, programs: &[&Program]) {
        let known = self.of(&file.id).map(|takeover| takeover.programs.clone()).unwrap_or_default();
        let ids = programs.iter().map(|program| program.id).chain(known).take(TAKEN_OVER_PROGRAMS);
        let takeover =
            Takeover { session: file.id.clone(), written: file.turn.written, programs: ids.collect() };
        self.forget(&file.id);
        if self.0.len() >= REMEMBERED_TAKEOVERS {
            self.0.pop_front();
        }
        self.0.push_back(takeover);
    }
}

impl Hub {
    /// The other program in a session. Blocks.
    pub fn find_elsewhere(&self, file: &SessionFile, max_age: Duration) -> Option<Elsewhere> {
        let file = self.with_author(file.clone());
        let running = self.programs(max_age);
        let folder = self.folder_of(&file);
        file.elsewhere(&running, folder, &self.state().takeovers, now_ms())
    }

    /// The user continues here, whichever programs have the session open. Blocks.
    pub fn take_over(&self, file: &SessionFile) {
        let file = self.with_author(file.clone());
        let running = self.programs(Duration::ZERO);
        let programs = file.programs(&running, self.folder_of(&file));
        self.state().takeovers.add(&file, &programs);
    }

    /// Another program has written the session after it was taken over.
    pub fn forget_takeover(&self, session: &str) {
        self.state().takeovers.forget(session);
    }

    /// Shows or hides the mark of a session's row. This changes neither its time nor whether it is unread.
    pub fn set_elsewhere(&self, session: &str, elsewhere: bool) {
        let mut state = self.state();
        if let Some(entry) = state.sessions.get_mut(session)
            && entry.summary.external_writer != elsewhere
        {
            entry.summary.external_writer = elsewhere;
            let changed = vec![entry.summary()];
            broadcast(&mut state, &ServerFrame::SessionsChanged { changed, removed: Vec::new() });
        }
    }

    /// Updates the rows of sessions in which another program works, as long as the hub exists and clients see them.
    pub fn watch_programs(self: &Arc<Self>) {
        let hub = Arc::downgrade(self);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(SCAN_INTERVAL).await;
                let Some(hub) = hub.upgrade() else { return };
                if hub.has_rows_to_check() {
                    let _ = tokio::task::spawn_blocking(move || hub.update_rows(SCAN_INTERVAL)).await;
                }
            }
        });
    }

    fn has_rows_to_check(&self) -> bool {
        let state = self.state();
        let is_recent = |entry: &SessionEntry| {
            entry.summary.external_writer
                || closed_file(entry).is_some_and(|file| file.remaining(now_ms()).is_some())
        };
        !state.clients.is_empty() && state.sessions.values().any(|entry| !entry.is_open() && is_recent(entry))
    }

    /// Updates the rows of sessions that are not open here. Blocks.
    pub(super) fn update_rows(&self, max_age: Duration) {
        let running = self.programs(max_age);
        let now = now_ms();
        let candidates: Vec<(SessionFile, bool)> = {
            let state = self.state();
            let closed = state.sessions.values().filter(|entry| !entry.is_open());
            let files = closed.filter_map(|entry| {
                let file = closed_file(entry)?;
                // What was interrupted here is resumed here.
                let is_ours = state.unfinished.contains(&file.id);
                Some((SessionFile { is_ours, ..file }, entry.summary.external_writer))
            });
            files
                .filter(|(file, is_shown)| {
                    *is_shown
                        || file.remaining(now).is_some()
                        || !file.programs(&running, Folder::default()).is_empty()
                })
                .collect()
        };
        let mut changes = Vec::new();
        for (file, is_shown) in candidates {
            let file = self.with_author(file);
            let folder = self.folder_of(&file);
            let found = file.elsewhere(&running, folder, &self.state().takeovers, now).is_some();
            if found != is_shown {
                changes.push((file.id, found));
            }
        }
        for (session, found) in changes {
            let is_closed = self.state().sessions.get(&session).is_some_and(|entry| !entry.is_open());
            if is_closed {
                self.set_elsewhere(&session, found);
            }
        }
    }

    /// The running programs, from a scan that is not older than this. Blocks.
    fn programs(&self, max_age: Duration) -> Arc<Vec<Program>> {
        // Whoever comes meanwhile waits for this scan.
        let mut scan = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, programs)) = &*scan
            && at.elapsed() < max_age
        {
            return programs.clone();
        }
        let started = Instant::now();
        let programs = Arc::new(running_programs(&self.installation));
        tracing::debug!(found = programs.len(), took = ?started.elapsed(), "looked for other programs");
        *scan = Some((Instant::now(), programs.clone()));
        programs
    }

    /// Finds out whether the last turn was begun here.
    fn with_author(&self, file: SessionFile) -> SessionFile {
        let is_ours = file.is_ours || self.store.has_prompt_at(&file.id, file.turn.prompted);
        SessionFile { is_ours, ..file }
    }

    fn folder_of(&self, file: &SessionFile) -> Folder {
        let (later, has_newer) = {
            let state = self.state();
            let others = state.sessions.values().filter(|entry| {
                entry.turn.written > file.turn.written
                    && entry.summary.id != file.id
                    && Path::new(&entry.summary.cwd) == file.cwd
                    && entry.agent.folder == file.folder
            });
            let others: Vec<SessionFile> = others.filter_map(file_of).collect();
            let has_newer = !others.is_empty();
            let is_later = |other: &SessionFile| other.turn.session_created > file.turn.written;
            (others.into_iter().filter(is_later).collect::<Vec<SessionFile>>(), has_newer)
        };
        let external =
            later.into_iter().map(|other| self.with_author(other)).filter(|other| other.is_turn_external());
        Folder { later: external.count(), has_newer }
    }
}

/// The file of a session that is not open here, if another program may write it.
fn closed_file(entry: &SessionEntry) -> Option<SessionFile> {
    file_of(entry).filter(|_| !entry.agent.is_recorded())
}

fn file_of(entry: &SessionEntry) -> Option<SessionFile> {
    Some(SessionFile {
        id: entry.summary.id.clone(),
        path: entry.file.clone()?,
        cwd: PathBuf::from(&entry.summary.cwd),
        folder: entry.agent.folder.clone(),
        turn: entry.turn,
        is_ours: false,
    })
}

#[cfg(test)]
#[path = "elsewhere_tests.rs"]
mod tests;
