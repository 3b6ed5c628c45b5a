//! The thread that keeps the index true. What is noted is joined per session and done in small transactions: few
//! notes at once, as of sessions that are at work, come before a long list, as after the start; that is done oldest
//! first, so that what is newest was indexed last and is found first.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::Result;
use pilothouse_agents::history::searchable::searchable;
use rusqlite::{Connection, ErrorCode};

use super::batches::Batches;
use super::growth::{Growth, Line};
use super::jobs::{Job, Jobs};
use super::{database, documents};

/// Bytes of text read before they are written.
const BYTES_AT_ONCE: usize = 256 * 1024;

/// So many notes are done before the long list goes on.
const FEW: usize = 16;

/// How much the thread gives way to others.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

pub(super) struct Indexer {
    batches: Batches,
    database: PathBuf,
    jobs: Arc<Jobs>,
    /// Files as they were when they were looked at last: most notes are of files that have not changed.
    seen: HashMap<String, (PathBuf, String, SystemTime, u64)>,
    /// The long list, oldest last.
    backlog: Vec<(SystemTime, String, Job)>,
    /// The index is beyond use: nothing is written any more.
    damaged: bool,
}

impl Indexer {
    pub(super) fn new(connection: Connection, database: PathBuf, jobs: Arc<Jobs>) -> Self {
        Self {
            batches: Batches::new(connection),
            database,
            jobs,
            seen: HashMap::new(),
            backlog: Vec::new(),
            damaged: false,
        }
    }

    pub(super) fn run(&mut self) {
        // Elsewhere this would hold for the whole server.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::setpriority_process(None, NICENESS);
        self.forget_what_went_meanwhile();
        loop {
            if self.backlog.is_empty() {
                self.commit();
            }
            let Some(taken) = self.jobs.take(!self.backlog.is_empty()) else { break };
            if !taken.is_empty() {
                // What is known now is newer than what waits.
                self.backlog.retain(|(_, session, _)| !taken.contains_key(session));
            }
            if taken.len() <= FEW {
                taken.into_iter().for_each(|(session, job)| self.do_job(&session, job));
            } else {
                self.put_off(taken);
            }
            if let Some((_, session, job)) = self.backlog.pop() {
                self.do_job(&session, job);
            }
        }
        self.commit();
    }

    /// Files that went while no server was there.
    fn forget_what_went_meanwhile(&mut self) {
        let known = documents::paths(self.batches.connection()).unwrap_or_default();
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
        self.backlog.sort_by_key(|(modified, ..)| Reverse(*modified));
    }

    fn do_job(&mut self, session: &str, job: Job) {
        if self.damaged {
            return;
        }
        let outcome = match job {
            Job::Look { path, .. } if is_gone(&path) => self.forget(session),
            Job::Look { path, title } => self.look(session, &path, &title),
            Job::Forget => self.forget(session),
        };
        if let Err(error) = outcome {
            self.tell(&error);
        }
    }

    /// What waits for its transaction becomes visible.
    fn commit(&mut self) {
        if let Err(error) = self.batches.commit() {
            self.tell(&error.into());
        }
    }

    fn tell(&mut self, error: &anyhow::Error) {
        // Others may have been in the same transaction: they are looked at again when they are noted next.
        self.seen.clear();
        let code = error.downcast_ref::<rusqlite::Error>().and_then(rusqlite::Error::sqlite_error_code);
        if matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)) {
            tracing::warn!("the search index is damaged; it is made anew with the next start");
            database::throw_away(&self.database);
            self.damaged = true;
        } else {
            tracing::warn!("a session could not be indexed for the search: {error:#}");
        }
    }

    fn look(&mut self, session: &str, path: &Path, title: &str) -> Result<()> {
        let metadata = path.metadata()?;
        let stamp = (path.to_owned(), title.to_owned(), metadata.modified()?, metadata.len());
        if self.seen.get(session) == Some(&stamp) {
            return Ok(());
        }
        let known = documents::indexed(self.batches.connection(), session)?;
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
            let (mut entries, mut bytes, mut at_end) = (Vec::new(), 0, false);
            while bytes < BYTES_AT_ONCE && !at_end && !self.jobs.is_closed() {
                let found = match growth.next(&mut buffer)? {
                    Some(Line::Whole(line)) => searchable(line),
                    Some(Line::TooLong) => None,
                    None => {
                        at_end = true;
                        None
                    }
                };
                bytes += found.as_ref().map_or(0, |entry| entry.text.len());
                entries.extend(found);
            }
            // The title is told with the first part, also when nothing was added.
            if growth.offset() > written || !is_told {
                let (mark, modified) = (growth.mark()?, growth.modified);
                self.batches.write(bytes, |connection| {
                    let number = documents::write_session(connection, session, path, title, modified, &mark)?;
                    entries.iter().try_for_each(|entry| documents::add(connection, number, entry))
                })?;
                (written, is_told) = (growth.offset(), true);
            }
            if at_end || self.jobs.is_closed() {
                return Ok(at_end);
            }
        }
    }

    fn forget(&mut self, session: &str) -> Result<()> {
        self.seen.remove(session);
        let Some(known) = documents::indexed(self.batches.connection(), session)? else { return Ok(()) };
        self.remove_entries(known.number)?;
        Ok(self.batches.write(0, |connection| documents::remove_session(connection, known.number))?)
    }

    fn remove_entries(&mut self, number: i64) -> Result<()> {
        while self.batches.write(BYTES_AT_ONCE, |connection| documents::remove_some(connection, number))? {}
        Ok(())
    }
}

/// As opposed to one that cannot be read at the moment.
fn is_gone(path: &Path) -> bool {
    path.metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound)
}
