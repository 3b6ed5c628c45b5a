//! The queue of sessions to index. Adding a job is cheap; a newer job of a session replaces the older one, so that the
//! queue never holds more jobs than there are sessions.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum IndexJob {
    /// Indexes the lines appended to the session's file.
    Update { path: PathBuf, title: String },
    /// Removes the session from the index.
    Remove,
}

pub(super) struct JobQueue {
    state: Mutex<QueueState>,
    changed: Condvar,
}

struct QueueState {
    waiting: HashMap<String, IndexJob>,
    /// The indexer is working on a job or on its backlog.
    busy: bool,
    closed: bool,
}

impl QueueState {
    fn has_work(&self) -> bool {
        (self.busy || !self.waiting.is_empty()) && !self.closed
    }
}

impl Default for JobQueue {
    fn default() -> Self {
        // Busy from the start: the indexer begins by removing sessions whose files were deleted.
        let state = QueueState { waiting: HashMap::new(), busy: true, closed: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }
}

impl JobQueue {
    pub(super) fn add(&self, session: &str, job: IndexJob) {
        let mut state = self.state();
        // Whether the file has changed at all is checked by the indexer, to keep this call cheap.
        state.waiting.insert(session.to_owned(), job);
        if !state.busy {
            self.changed.notify_all();
        }
    }

    pub(super) fn close(&self) {
        self.state().closed = true;
        self.changed.notify_all();
    }

    pub(super) fn wait_until_idle(&self) {
        let waited = self.changed.wait_while(self.state(), |state| state.has_work());
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    pub(super) fn wait_until_idle_for(&self, timeout: Duration) {
        let waited = self.changed.wait_timeout_while(self.state(), timeout, |state| state.has_work());
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state().closed
    }

    /// Takes all waiting jobs. If there are none, waits for the first, unless the indexer `has_backlog`. Returns `None`
    /// when the queue is closed.
    pub(super) fn take_jobs(&self, has_backlog: bool) -> Option<HashMap<String, IndexJob>> {
        let mut state = self.state();
        if !has_backlog && state.waiting.is_empty() && state.busy {
            state.busy = false;
            self.changed.notify_all();
        }
        while !has_backlog && state.waiting.is_empty() && !state.closed {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.busy = true;
        (!state.closed).then(|| std::mem::take(&mut state.waiting))
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
