//! The thread that keeps the index true. What is noted is joined per session and done in small transactions: few
//! notes at once, as of sessions that are at work, come before a long list, as after the start; that is done oldest
//! first, so that what is newest was indexed last and is found first.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use anyhow::Result;
use pilothouse_agents::pi::searchable::searchable;
use rusqlite::{Connection, ErrorCode};

use super::growth::{Growth, Line};
use super::{database, documents};

/// The size of a transaction: entries, and bytes of the file.
const ENTRIES_AT_ONCE: usize = 64;
const BYTES_AT_ONCE: u64 = 512 * 1024;

/// So many notes are done before the long list goes on.
const FEW: usize = 16;

/// How much the thread gives way to others.
const NICENESS: i32 = 10;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Job {
    Look { path: PathBuf, title: String },
    Forget,
}

/// What is to be done, of each session the newest. There are never more than sessions.
#[derive(Default)]
pub(super) struct Jobs {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: HashMap<String, Job>,
    /// Something is being done, or the long list is not at its end.
    busy: bool,
    closed: bool,
}

impl Jobs {
    pub(super) fn add(&self, session: &str, job: Job) {
        let mut state = self.state();
        // What it was last time is found out by the thread: a note must not cost anything here.
        state.waiting.insert(session.to_owned(), job);
        self.changed.notify_all();
    }

    pub(super) fn close(&self) {
        self.state().closed = true;
        self.changed.notify_all();
    }

    pub(super) fn wait_until_idle(&self) {
        let mut state = self.state();
        while (state.busy || !state.waiting.is_empty()) && !state.closed {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn is_closed(&self) -> bool {
        self.state().closed
    }

    /// Waits for jobs, unless there is other work. None at the end.
    fn take(&self, other_work: bool) -> Option<HashMap<String, Job>> {
        let mut state = self.state();
        if !other_work && state.waiting.is_empty() && state.busy {
            state.busy = false;
            self.changed.notify_all();
        }
        while !other_work && state.waiting.is_empty() && !state.closed {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.busy = true;
        (!state.closed).then(|| std::mem::take(&mut state.waiting))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) struct Indexer {
    connection: Connection,
    database: PathBuf,
    jobs: Arc<Jobs>,
    /// Files as they were when they were looked at last: most notes are of files that have not changed.
    seen: HashMap<String, (PathBuf, String, SystemTime, u64)>,
    /// The long list, oldest last.
    backlog: Vec<(SystemTime, String, Job)>,
}

impl Indexer {
    pub(super) fn new(connection: Connection, database: PathBuf, jobs: Arc<Jobs>) -> Self {
        jobs.state().busy = true;
        Self { connection, database, jobs, seen: HashMap::new(), backlog: Vec::new() }
    }

    pub(super) fn run(&mut self) {
        let _ = rustix::process::setpriority_process(None, NICENESS);
        self.forget_what_went_meanwhile();
        while let Some(taken) = self.jobs.take(!self.backlog.is_empty()) {
            if taken.len() <= FEW {
                taken.into_iter().for_each(|(session, job)| self.do_job(&session, job));
            } else {
                self.put_off(taken);
            }
            if let Some((_, session, job)) = self.backlog.pop() {
                self.do_job(&session, job);
            }
        }
    }

    /// Files that went while no server was there.
    fn forget_what_went_meanwhile(&mut self) {
        let known = documents::paths(&self.connection).unwrap_or_default();
        for (session, _) in known.into_iter().filter(|(_, path)| is_gone(path)) {
            if self.jobs.is_closed() {
                return;
            }
            self.do_job(&session, Job::Forget);
        }
    }

    fn put_off(&mut self, taken: HashMap<String, Job>) {
        for (session, job) in taken {
            let modified = match &job {
                Job::Look { path, .. } => path.metadata().and_then(|file| file.modified()).ok(),
                Job::Forget => None,
            };
            self.backlog.push((modified.unwrap_or(SystemTime::UNIX_EPOCH), session, job));
        }
        self.backlog.sort_by(|left, right| right.0.cmp(&left.0));
    }

    fn do_job(&mut self, session: &str, job: Job) {
        let outcome = match job {
            Job::Look { path, .. } if is_gone(&path) => self.forget(session),
            Job::Look { path, title } => self.look(session, &path, &title),
            Job::Forget => self.forget(session),
        };
        let Err(error) = outcome else { return };
        self.seen.remove(session);
        let code = error.downcast_ref::<rusqlite::Error>().and_then(rusqlite::Error::sqlite_error_code);
        if matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)) {
            tracing::warn!("the search index is damaged; it is made anew with the next start");
            database::throw_away(&self.database);
        } else {
            tracing::warn!(session, "a session could not be indexed for the search: {error:#}");
        }
    }

    fn look(&mut self, session: &str, path: &Path, title: &str) -> Result<()> {
        let metadata = path.metadata()?;
        let stamp = (path.to_owned(), title.to_owned(), metadata.modified()?, metadata.len());
        if self.seen.get(session) == Some(&stamp) {
            return Ok(());
        }
        let known = documents::indexed(&self.connection, session)?;
        let mark = known.as_ref().map(|known| known.mark.clone()).unwrap_or_default();
        let mut growth = Growth::open(path, &mark)?;
        if let Some(known) = known.as_ref().filter(|_| growth.is_new) {
            self.remove_entries(known.number)?;
        }
        let is_told = !growth.is_new && known.is_some_and(|known| known.title == title && known.path == path);
        if self.add_lines(session, path, title, &mut growth, is_told)? {
            self.seen.insert(session.to_owned(), stamp);
        }
        Ok(())
    }

    /// Reads to the end of the file, unless the server ends before: false then.
    fn add_lines(
        &mut self,
        session: &str,
        path: &Path,
        title: &str,
        growth: &mut Growth,
        mut is_told: bool,
    ) -> Result<bool> {
        let (mut buffer, mut written) = (Vec::new(), growth.offset());
        loop {
            let mut entries = Vec::new();
            let mut at_end = false;
            while entries.len() < ENTRIES_AT_ONCE && growth.offset() < written + BYTES_AT_ONCE && !at_end {
                match growth.next(&mut buffer)? {
                    Some(Line::Whole(line)) => entries.extend(searchable(line)),
                    Some(Line::TooLong) => {}
                    None => at_end = true,
                }
            }
            // The title is told with the first part, also when nothing was added.
            if growth.offset() > written || !is_told {
                let mark = growth.mark()?;
                let transaction = self.connection.transaction()?;
                let number =
                    documents::write_session(&transaction, session, path, title, growth.modified, &mark)?;
                entries.iter().try_for_each(|entry| documents::add(&transaction, number, entry))?;
                transaction.commit()?;
                (written, is_told) = (growth.offset(), true);
            }
            if at_end {
                return Ok(true);
            }
            if self.jobs.is_closed() {
                return Ok(false);
            }
            std::thread::yield_now();
        }
    }

    fn forget(&mut self, session: &str) -> Result<()> {
        self.seen.remove(session);
        let Some(known) = documents::indexed(&self.connection, session)? else { return Ok(()) };
        self.remove_entries(known.number)?;
        let transaction = self.connection.transaction()?;
        documents::remove_session(&transaction, known.number)?;
        Ok(transaction.commit()?)
    }

    fn remove_entries(&mut self, number: i64) -> Result<()> {
        loop {
            let transaction = self.connection.transaction()?;
            let removed = documents::remove_some(&transaction, number)?;
            transaction.commit()?;
            if !removed {
                return Ok(());
            }
        }
    }
}

/// As opposed to one that cannot be read at the moment.
fn is_gone(path: &Path) -> bool {
    path.metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound)
}
