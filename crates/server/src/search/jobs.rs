//! What the indexer is told to do. Adding costs next to nothing; of each session only the newest is kept.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Job {
    Look { path: PathBuf, title: String },
    Forget,
}

/// What is to be done, of each session the newest. There are never more than sessions.
pub(super) struct Jobs {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    waiting: HashMap<String, Job>,
    /// Something is being done, or the long list is not at its end.
    busy: bool,
    closed: bool,
}

impl Default for Jobs {
    fn default() -> Self {
        // The thread starts with a look at what it has.
        let state = State { waiting: HashMap::new(), busy: true, closed: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }
}

impl Jobs {
    pub(super) fn add(&self, session: &str, job: Job) {
        let mut state = self.state();
        // What it was last time is found out by the thread: a note must not cost anything here.
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
        let mut state = self.state();
        while (state.busy || !state.waiting.is_empty()) && !state.closed {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The same, but no longer than this.
    pub(super) fn wait_for(&self, patience: Duration) {
        let waits = |state: &mut State| (state.busy || !state.waiting.is_empty()) && !state.closed;
        let waited = self.changed.wait_timeout_while(self.state(), patience, waits);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state().closed
    }

    /// Waits for jobs, unless there is other work. None at the end.
    pub(super) fn take(&self, other_work: bool) -> Option<HashMap<String, Job>> {
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
