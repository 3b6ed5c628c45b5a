//! What happens to a session because time passes: stops that are not followed, questions that expire, notes of what is
//! being said, processes that rest too long, tasks that nobody needs.

use std::time::Duration;

use pilothouse_core::limits::SESSION_TASK_IDLE_SECONDS;
use tokio::time::Instant;

use super::Session;

/// A task that nobody watches and that runs nothing ends after this; opening the session again reads its file.
const UNUSED: Duration = Duration::from_secs(SESSION_TASK_IDLE_SECONDS);

impl Session {
    fn unused(&self) -> bool {
        let rests = self.process.is_none() && self.shutdown.is_none() && !self.visiting;
        self.pages.is_empty() && rests && !self.view.elsewhere
    }

    /// A page that is being loaded anew comes back within moments: what else is due meanwhile does not end the task.
    pub(super) fn mind_use(&mut self) {
        match (self.unused(), self.unused_deadline) {
            (true, None) => self.unused_deadline = Some(Instant::now() + UNUSED),
            (false, _) => self.unused_deadline = None,
            (true, Some(_)) => {}
        }
    }

    pub(super) fn is_over(&self, now: Instant) -> bool {
        self.unused_deadline.is_some_and(|when| when <= now)
    }

    pub(super) fn next_deadline(&self) -> Instant {
        let asks = self.ask_deadlines.iter().map(|(when, _)| *when);
        let others = [
            self.stop_deadline,
            self.note_deadline,
            self.judge_deadline,
            self.elsewhere_until,
            self.idle_deadline,
            self.unused_deadline,
        ];
        asks.chain(others.into_iter().flatten()).min().unwrap_or_else(|| Instant::now() + UNUSED)
    }

    pub(super) fn pass_deadlines(&mut self, now: Instant) {
        let passed = |deadline: Option<Instant>| deadline.is_some_and(|when| when <= now);
        if passed(self.stop_deadline) {
            self.stop_deadline = None;
            self.end_process();
        }
        if passed(self.note_deadline) {
            self.note_in_flight();
        }
        if passed(self.judge_deadline) {
            self.judge_at_last();
        }
        if passed(self.elsewhere_until) {
            self.end_elsewhere();
        }
        if passed(self.idle_deadline) {
            self.idle_deadline = None;
            tracing::info!(session = %self.origin.id, "the agent has rested long enough");
            self.end_process();
        }
        self.expire_asks(now);
    }

    /// A process that has nothing to do is ended after a while; the next prompt starts another.
    pub(super) fn mind_idleness(&mut self) {
        let rests = self.process.is_some()
            && !self.ending
            && !self.machine.state().is_active()
            && !self.view.controller.is_running()
            && !self.view.compacting
            && self.pending.is_empty()
            && self.view.queue.is_empty();
        match (rests, self.idle_deadline) {
            (true, None) => self.idle_deadline = self.hub.idle().map(|idle| Instant::now() + idle),
            (false, _) => self.idle_deadline = None,
            (true, Some(_)) => {}
        }
    }

    /// A stop is under way: the run, or the process, has not ended yet. Or another process has the file.
    pub(super) const fn is_stopping(&self) -> bool {
        self.stop_deadline.is_some() || self.ending || self.visiting
    }
}
