//! The thread that keeps the search index up to date, in small transactions. A few jobs at once, as from running
//! sessions, are done immediately. Many jobs at once, as after the start, form a backlog that is done oldest file first,
//! because entries indexed later are found first.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::Result;
use pilothouse_agents::history::searchable::searchable;
use rusqlite::{Connection, ErrorCode};

use super::appended_lines::{AppendedLine, AppendedLines};
use super::database::{self, BatchWriter};
use super::queue::{IndexJob, JobQueue};

/// The number of bytes of text read before they are written.
const BYTES_AT_ONCE: usize = 256 * 1024;

/// The largest number of jobs that are done before the backlog continues.
const IMMEDIATE_JOBS: usize = 16;

/// The scheduling priority of the thread: below the rest of the server.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

pub(super) struct Indexer {
    writer: BatchWriter,
    database: PathBuf,
    queue: Arc<JobQueue>,
    /// The file of each session when it was last indexed: most jobs concern unchanged files.
    indexed: HashMap<String, IndexedVersion>,
    /// Sorted with the oldest file last.
    backlog: Vec<(SystemTime, String, IndexJob)>,
    /// The database is damaged and is no longer written.
    is_damaged: bool,
}

/// The path, title, modification time and length of an indexed file.
type IndexedVersion = (PathBuf, String, SystemTime, u64);

impl Indexer {
    pub(super) fn new(connection: Connection, database: PathBuf, queue: Arc<JobQueue>) -> Self {
        Self {
            writer: BatchWriter::new(connection),
            database,
            queue,
            indexed: HashMap::new(),
            backlog: Vec::new(),
            is_damaged: false,
        }
    }

    /// Does jobs until the queue is closed.
    pub(super) fn run(&mut self) {
        // On other systems this would affect the whole process.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::setpriority_process(None, NICENESS);
        self.remove_deleted_sessions();
        loop {
            if self.backlog.is_empty() {
                self.commit();
            }
            let Some(jobs) = self.queue.take_jobs(!self.backlog.is_empty()) else { break };
            if !jobs.is_empty() {
                // A new job replaces the one in the backlog.
                self.backlog.retain(|(_, session, _)| !jobs.contains_key(session));
            }
            if jobs.len() <= IMMEDIATE_JOBS {
                jobs.into_iter().for_each(|(session, job)| self.do_job(&session, job));
            } else {
                self.add_to_backlog(jobs);
            }
            if let Some((_, session, job)) = self.backlog.pop() {
                self.do_job(&session, job);
            }
        }
        self.commit();
    }

    /// Removes sessions whose files were deleted while the server was not running.
    fn remove_deleted_sessions(&mut self) {
        let sessions = database::session_paths(self.writer.connection()).unwrap_or_default();
        for (session, _) in sessions.into_iter().filter(|(_, path)| is_deleted(path)) {
            if self.queue.is_closed() {
                return;
            }
            self.do_job(&session, IndexJob::Remove);
        }
    }

    fn add_to_backlog(&mut self, jobs: HashMap<String, IndexJob>) {
        for (session, job) in jobs {
            let modified = match &job {
                IndexJob::Update { path, .. } => path.metadata().and_then(|file| file.modified()).ok(),
                IndexJob::Remove => None,
            };
            self.backlog.push((modified.unwrap_or(SystemTime::UNIX_EPOCH), session, job));
        }
        self.backlog.sort_by_key(|(modified, ..)| Reverse(*modified));
    }

    fn do_job(&mut self, session: &str, job: IndexJob) {
        if self.is_damaged {
            return;
        }
        let result = match job {
            IndexJob::Update { path, .. } if is_deleted(&path) => self.remove_session(session),
            IndexJob::Update { path, title } => self.update_session(session, &path, &title),
            IndexJob::Remove => self.remove_session(session),
        };
        if let Err(error) = result {
            self.handle_error(&error);
        }
    }

    /// Makes the writes so far visible to readers.
    fn commit(&mut self) {
        if let Err(error) = self.writer.commit() {
            self.handle_error(&error.into());
        }
    }

    fn handle_error(&mut self, error: &anyhow::Error) {
        // The rolled back transaction may have contained other sessions: their next job indexes them again.
        self.indexed.clear();
        let code = error.downcast_ref::<rusqlite::Error>().and_then(rusqlite::Error::sqlite_error_code);
        if matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)) {
            tracing::warn!("the search index is damaged; the next start builds a new one");
            database::delete(&self.database);
            self.is_damaged = true;
        } else {
            tracing::warn!("cannot index a session for search: {error:#}");
        }
    }

    fn update_session(&mut self, session: &str, path: &Path, title: &str) -> Result<()> {
        let metadata = path.metadata()?;
        let version = (path.to_owned(), title.to_owned(), metadata.modified()?, metadata.len());
        if self.indexed.get(session) == Some(&version) {
            return Ok(());
        }
        let known = database::find_session(self.writer.connection(), session)?;
        let position = known.as_ref().map(|known| known.position.clone()).unwrap_or_default();
        let mut lines = AppendedLines::open(path, &position)?;
        if let Some(known) = known.as_ref().filter(|_| lines.is_new_file) {
            self.remove_entries(known.number)?;
        }
        let is_session_current =
            !lines.is_new_file && known.is_some_and(|known| known.title == title && known.path == path);
        if self.add_lines(session, path, title, &mut lines, is_session_current)? {
            self.indexed.insert(session.to_owned(), version);
        }
        Ok(())
    }

    /// Indexes the remaining lines of the file. Returns false if the queue was closed before the end.
    /// `is_session_current` says that the session's row in the index already has this path and title.
    fn add_lines(
        &mut self,
        session: &str,
        path: &Path,
        title: &str,
        lines: &mut AppendedLines,
        mut is_session_current: bool,
    ) -> Result<bool> {
        let (mut buffer, mut written) = (Vec::new(), lines.offset());
        loop {
            let (mut entries, mut bytes, mut at_end) = (Vec::new(), 0, false);
            while bytes < BYTES_AT_ONCE && !at_end && !self.queue.is_closed() {
                let entry = match lines.next(&mut buffer)? {
                    Some(AppendedLine::Line(line)) => searchable(line),
                    Some(AppendedLine::TooLong) => None,
                    None => {
                        at_end = true;
                        None
                    }
                };
                bytes += entry.as_ref().map_or(0, |entry| entry.text.len());
                entries.extend(entry);
            }
            // A new title is written with the first part, even if no line was appended.
            if lines.offset() > written || !is_session_current {
                let (position, modified) = (lines.position()?, lines.modified);
                self.writer.write(bytes, |connection| {
                    let number =
                        database::write_session(connection, session, path, title, modified, &position)?;
                    entries.iter().try_for_each(|entry| database::add_entry(connection, number, entry))
                })?;
                (written, is_session_current) = (lines.offset(), true);
            }
            if at_end || self.queue.is_closed() {
                return Ok(at_end);
            }
        }
    }

    fn remove_session(&mut self, session: &str) -> Result<()> {
        self.indexed.remove(session);
        let Some(known) = database::find_session(self.writer.connection(), session)? else { return Ok(()) };
        self.remove_entries(known.number)?;
        Ok(self.writer.write(0, |connection| database::remove_session(connection, known.number))?)
    }

    fn remove_entries(&mut self, number: i64) -> Result<()> {
        let remove = |connection: &Connection| database::remove_some_entries(connection, number);
        while self.writer.write(BYTES_AT_ONCE, remove)? {}
        Ok(())
    }
}

/// Whether the file does not exist, as opposed to a file that cannot be read at the moment.
fn is_deleted(path: &Path) -> bool {
    path.metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound)
}
