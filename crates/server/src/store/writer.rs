//! The one thread that writes. It takes everything that is queued and commits it together: one wait for the disk serves
//! many callers. Callers never hold a lock while the disk works, so a slow or locked database delays only those who
//! await their own writes.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context;
use pilothouse_core::limits::{IN_FLIGHT_SESSIONS, STORE_BATCH_JOBS, STORE_QUEUE_JOBS};
use pilothouse_core::protocol::{CommandError, ErrorCode};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, TransactionBehavior};
use thiserror::Error;
use tokio::sync::{oneshot, watch};

use super::InFlightNote;
use super::guard::{Guard, is_damage};
use super::write::Write;

/// While writing fails, a small write is tried this often, so that the problem is known to be over.
const PROBE_INTERVAL: Duration = Duration::from_secs(1);

/// While nothing is written, the data folder is looked at this often.
const WATCH_INTERVAL: Duration = Duration::from_secs(2);

/// Why something was not stored, as part of a sentence: "the disk is full".
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{reason}")]
pub struct StoreError {
    reason: String,
}

impl StoreError {
    pub(super) fn closed() -> Self {
        Self { reason: "the server is shutting down".to_owned() }
    }

    fn queue_full() -> Self {
        Self { reason: "too many writes are waiting for the disk".to_owned() }
    }

    pub(super) fn new(reason: impl ToString) -> Self {
        Self { reason: reason.to_string() }
    }

    pub(super) fn of(error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        let reason = match error.sqlite_error_code() {
            Some(Code::DiskFull) => "the disk is full".to_owned(),
            Some(Code::ReadOnly | Code::PermissionDenied) => "the data folder is read-only".to_owned(),
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => {
                "another program has locked the database".to_owned()
            }
            Some(Code::SystemIoFailure) => format!("the disk reported an error ({error})"),
            _ => format!("the database reported an error ({error})"),
        };
        Self { reason }
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        let message = format!("Couldn't save: {error}. Nothing was changed.");
        Self::new(ErrorCode::NotStored, message)
    }
}

/// Something to do once writes are on disk. It must not wait for anything.
pub(super) type OnCommit = Box<dyn FnOnce() + Send>;

/// Writes that succeed or fail as one unit, and the channel for their result.
struct Job {
    writes: Vec<Write>,
    on_commit: Option<OnCommit>,
    done: oneshot::Sender<Result<(), StoreError>>,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    /// The newest note of each session.
    notes: HashMap<String, Option<InFlightNote>>,
    closed: bool,
}

#[derive(Default)]
struct Inbox {
    queue: Mutex<Queue>,
    changed: Condvar,
}

/// The handle to the writing thread.
pub(super) struct Writer {
    inbox: Arc<Inbox>,
    health: Health,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    pub(super) fn start(connection: Connection, guard: Guard) -> anyhow::Result<Self> {
        let inbox = Arc::new(Inbox::default());
        let health = Health(watch::Sender::new(None));
        let thread = std::thread::Builder::new()
            .name("store".to_owned())
            .spawn({
                let (inbox, health) = (inbox.clone(), health.clone());
                move || Thread { inbox, connection, health, guard, full_sync: true }.run()
            })
            .context("the thread that writes the store could not be started")?;
        Ok(Self { inbox, health, thread: Mutex::new(Some(thread)) })
    }

    pub(super) fn problem(&self) -> watch::Receiver<Option<String>> {
        self.health.0.subscribe()
    }

    /// Queues writes. `on_commit` runs on the writing thread once they are on disk, in the order of the commits.
    pub(super) fn enqueue(
        &self,
        writes: Vec<Write>,
        on_commit: Option<OnCommit>,
    ) -> oneshot::Receiver<Result<(), StoreError>> {
        let (done, result) = oneshot::channel();
        let mut queue = self.inbox.lock();
        let is_closed = queue.closed;
        let refusal = if is_closed {
            Some(StoreError::closed())
        } else if queue.jobs.len() >= STORE_QUEUE_JOBS {
            Some(StoreError::queue_full())
        } else {
            None
        };
        if let Some(error) = refusal {
            drop(queue);
            if !is_closed {
                self.health.report(Some(&error));
            }
            let _ = done.send(Err(error));
            return result;
        }
        for write in &writes {
            // An older note of the session must not be written after these.
            if let Write::ForgetSession { session } | Write::SetInFlight { session, .. } = write {
                queue.notes.remove(session);
            }
        }
        queue.jobs.push_back(Job { writes, on_commit, done });
        self.inbox.changed.notify_one();
        result
    }

    pub(super) fn note(&self, session: &str, note: Option<InFlightNote>) {
        let mut queue = self.inbox.lock();
        if queue.closed {
            return;
        }
        // The end of a message is always accepted: a note that outlives its message would be shown as interrupted.
        let full = queue.notes.len() >= IN_FLIGHT_SESSIONS && !queue.notes.contains_key(session);
        if full && note.is_some() {
            return tracing::warn!("too many sessions have a message in progress: one note is dropped");
        }
        queue.notes.insert(session.to_owned(), note);
        self.inbox.changed.notify_one();
    }

    /// Returns when everything queued is written.
    pub(super) fn close(&self) {
        self.inbox.lock().closed = true;
        self.inbox.changed.notify_one();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread that writes the store has panicked");
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.close();
    }
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The reason why writing currently fails; shared with the subscribers.
#[derive(Clone)]
struct Health(watch::Sender<Option<String>>);

impl Health {
    fn is_failing(&self) -> bool {
        self.0.borrow().is_some()
    }

    fn report(&self, problem: Option<&StoreError>) {
        let problem = problem.map(StoreError::to_string);
        self.0.send_if_modified(|known| {
            let changed = *known != problem;
            if changed {
                match &problem {
                    Some(problem) => tracing::error!("the store cannot be written: {problem}"),
                    None => tracing::info!("the store can be written again"),
                }
                known.clone_from(&problem);
            }
            changed
        });
    }
}

/// The jobs and notes that are written together.
#[derive(Default)]
struct Batch {
    jobs: Vec<Job>,
    notes: Vec<(String, Option<InFlightNote>)>,
}

/// Jobs without writes wait only for everything before them.
fn reply_to_all(jobs: Vec<Job>) {
    for job in jobs {
        let _ = job.done.send(Ok(()));
    }
}

impl Drop for Thread {
    /// If the thread panics, callers get an error instead of waiting for ever.
    fn drop(&mut self) {
        let mut queue = self.inbox.lock();
        queue.closed = true;
        queue.jobs.clear();
    }
}

/// The writing thread's own state.
struct Thread {
    inbox: Arc<Inbox>,
    connection: Connection,
    health: Health,
    guard: Guard,
    /// Whether a commit waits for the disk; without it, it waits for the operating system only.
    full_sync: bool,
}

impl Thread {
    fn run(mut self) {
        while let Some(batch) = self.next_batch() {
            if batch.jobs.is_empty() && batch.notes.is_empty() {
                let result = if self.health.is_failing() { self.probe() } else { self.guard.check() };
                self.health.report(result.err().as_ref());
            } else {
                self.write(batch);
            }
        }
        // Closing merges the log and deletes it by its path, where another database may be now.
        if self.guard.check().is_err() {
            let _ = self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
        }
    }

    /// Waits for work. Returns an empty batch when it is time to probe or to look at the folder, and none when the store
    /// is closed and all is written.
    fn next_batch(&self) -> Option<Batch> {
        let failing = self.health.is_failing();
        let mut queue = self.inbox.lock();
        let mut timed_out = false;
        while queue.jobs.is_empty() && (queue.notes.is_empty() || failing) && !queue.closed && !timed_out {
            let interval = if failing { PROBE_INTERVAL } else { WATCH_INTERVAL };
            let waited = self.inbox.changed.wait_timeout(queue, interval);
            let (waited, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            timed_out = timeout.timed_out();
            queue = waited;
        }
        if queue.closed && queue.jobs.is_empty() && (queue.notes.is_empty() || failing) {
            return None;
        }
        let count = queue.jobs.len().min(STORE_BATCH_JOBS);
        // While writing fails, notes stay queued, so that only the newest is written when it works again.
        let notes =
            if failing && queue.jobs.is_empty() { HashMap::new() } else { std::mem::take(&mut queue.notes) };
        Some(Batch { jobs: queue.jobs.drain(..count).collect(), notes: notes.into_iter().collect() })
    }

    fn write(&mut self, batch: Batch) {
        let Batch { jobs, notes } = batch;
        let (jobs, nothing): (Vec<Job>, Vec<Job>) = jobs.into_iter().partition(|job| !job.writes.is_empty());
        if jobs.is_empty() && notes.is_empty() {
            return reply_to_all(nothing);
        }
        let problem = match self.commit(&jobs, &notes) {
            Ok(results) => {
                let problem = results.iter().find_map(|result| result.as_ref().err().cloned());
                for (Job { on_commit, done, .. }, result) in jobs.into_iter().zip(results) {
                    if let Some(on_commit) = on_commit.filter(|_| result.is_ok()) {
                        on_commit();
                    }
                    let _ = done.send(result);
                }
                problem
            }
            Err(error) => {
                self.keep_for_later(notes);
                for job in jobs {
                    let _ = job.done.send(Err(error.clone()));
                }
                Some(error)
            }
        };
        reply_to_all(nothing);
        self.health.report(problem.as_ref());
    }

    /// Puts notes back that could not be written, unless newer ones have come.
    fn keep_for_later(&self, notes: Vec<(String, Option<InFlightNote>)>) {
        let mut queue = self.inbox.lock();
        for (session, note) in notes {
            queue.notes.entry(session).or_insert(note);
        }
    }

    /// Writes everything in one transaction. A job that fails leaves nothing behind; the others are not affected.
    fn commit(
        &mut self,
        jobs: &[Job],
        notes: &[(String, Option<InFlightNote>)],
    ) -> Result<Vec<Result<(), StoreError>>, StoreError> {
        let guard = self.guard.clone();
        guard.check()?;
        let results = self.commit_unchecked(jobs, notes).map_err(|error| guard.error_of(&error))?;
        // The folder may have been deleted in the meantime: then nobody finds what was written.
        guard.check()?;
        Ok(results)
    }

    fn commit_unchecked(
        &mut self,
        jobs: &[Job],
        notes: &[(String, Option<InFlightNote>)],
    ) -> rusqlite::Result<Vec<Result<(), StoreError>>> {
        self.set_full_sync(!jobs.is_empty())?;
        let mut transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut results = Vec::new();
        for job in jobs {
            let savepoint = transaction.savepoint()?;
            match job.writes.iter().try_for_each(|write| write.apply(&savepoint)) {
                Ok(()) => {
                    savepoint.commit()?;
                    results.push(Ok(()));
                }
                // A full disk may have ended the whole transaction, and a damaged database is not written to.
                Err(error) if savepoint.is_autocommit() || is_damage(&error) => return Err(error),
                Err(error) => {
                    drop(savepoint);
                    results.push(Err(StoreError::of(&error)));
                }
            }
        }
        for (session, note) in notes {
            Write::SetInFlight { session: session.clone(), note: note.clone() }.apply(&transaction)?;
        }
        // A batch that changes no row succeeds on a full disk, too, and must not end the problem.
        if self.health.is_failing() {
            Write::Touch.apply(&transaction)?;
        }
        transaction.commit()?;
        Ok(results)
    }

    /// Notes alone are not synced to the disk: they survive a kill of the server, and a newer one follows soon.
    fn set_full_sync(&mut self, full: bool) -> rusqlite::Result<()> {
        if self.full_sync != full {
            self.connection.pragma_update(None, "synchronous", if full { "FULL" } else { "NORMAL" })?;
            self.full_sync = full;
        }
        Ok(())
    }

    /// Writes something that changes nothing.
    fn probe(&mut self) -> Result<(), StoreError> {
        let guard = self.guard.clone();
        guard.check()?;
        self.touch().map_err(|error| guard.error_of(&error))
    }

    fn touch(&mut self) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        Write::Touch.apply(&transaction)?;
        transaction.commit()
    }
}
