//! One owner per session file. pi takes no lock: two processes on one file make it branch in silence. So what appears
//! in the file and was not said by our own process was written by another program: the page is told, the session is
//! followed, and nothing is written here until the person says so.
//!
//! Who said what is judged by the times of messages. Our own process writes a little before it tells, so nobody is
//! accused while it is at work, unless what it never told has stood there for a while.

use std::time::Duration;

use pilothouse_core::SessionState;
use pilothouse_core::conversation::message::Message;
use pilothouse_core::limits::{
    EXTERNAL_WRITER_RUN_SECONDS, EXTERNAL_WRITER_SECONDS, UNREPORTED_MESSAGE_SECONDS,
};
use pilothouse_core::protocol::ServerFrame;
use pilothouse_core::protocol::event::Event;
use pilothouse_core::session::machine::Machine;
use serde_json::Value;
use tokio::time::Instant;

use super::own_file::Whose;
use super::{CLOSING, Session, opening};
use crate::client::encode;
use crate::history::history_file::{FileChange, live_events};

impl Session {
    /// Refuses what would make the file branch. The file is looked at once more: what was written a moment ago may not
    /// have been told yet.
    pub(super) fn may_write(&mut self) -> Result<(), String> {
        if self.shutdown.is_some() {
            return Err(CLOSING.to_owned());
        }
        if self.history.is_some() && !self.expects() {
            self.judge();
        }
        if self.view.elsewhere && !self.taken_over {
            return Err("Another program is working in this session. Take it over first.".to_owned());
        }
        Ok(())
    }

    pub(super) fn take_over(&mut self) -> Value {
        self.taken_over = true;
        Value::Null
    }

    /// Our own process is at work: the file may be ahead of what it has told.
    fn expects(&self) -> bool {
        let awaits = !self.pending.is_empty() || !self.starting.is_empty() || self.agents_copy.holds_any();
        let runs = self.machine.state().is_active() || self.view.controller.is_running();
        self.process.is_some() && (runs || self.view.compacting || awaits)
    }

    /// The session's file has changed, or has come to be.
    pub(super) fn file_changed(&mut self) {
        if self.process.is_none() {
            // One that could not be read when it was opened is shown when it can.
            return if self.history.is_some() { self.judge() } else { self.read_again() };
        }
        if self.history.is_none() {
            return self.open_own_file();
        }
        self.judge_later();
    }

    pub(super) fn judge_later(&mut self) {
        if self.judge_deadline.is_none() {
            self.judge_deadline = Some(Instant::now() + Duration::from_secs(1));
        }
    }

    pub(super) fn judge_at_last(&mut self) {
        self.judge_deadline = None;
        if !self.expects() {
            return self.judge();
        }
        self.read_on();
        if self.whose() == Whose::Ours {
            self.untold_since = None;
            if std::mem::take(&mut self.suspected) {
                self.end_elsewhere();
            }
        } else {
            self.suspect();
            self.judge_later();
        }
    }

    /// Our own process rests: what it never told is another program's.
    pub(super) fn judge(&mut self) {
        self.judge_deadline = None;
        self.untold_since = None;
        let suspected = std::mem::take(&mut self.suspected);
        self.read_on();
        match self.whose() {
            Whose::Ours => {
                self.own();
                if suspected {
                    self.end_elsewhere();
                }
            }
            Whose::Theirs => {
                let followed = self.take_in();
                self.yield_to_the_other();
                match followed {
                    Some(FileChange::Appended(messages)) => self.follow_the_other(messages),
                    Some(FileChange::Replaced) => self.read_again(),
                    Some(FileChange::Unchanged | FileChange::Deleted) | None => self.take_title(),
                }
            }
            Whose::Both => {
                self.yield_to_the_other();
                self.read_again();
            }
        }
    }

    /// Shows what another program wrote.
    pub(super) fn follow_the_other(&mut self, messages: Vec<Message>) {
        if self.view.elsewhere {
            self.expect_the_other();
        }
        live_events(messages).for_each(|event| self.emit(event));
        self.rest_as_the_file_says();
        self.take_title();
        self.tell_hub();
    }

    /// Our own process tells what it writes within moments: what has stood there untold for longer is not its.
    fn suspect(&mut self) {
        let since = *self.untold_since.get_or_insert_with(Instant::now);
        if since.elapsed() >= Duration::from_secs(UNREPORTED_MESSAGE_SECONDS) && !self.view.elsewhere {
            self.suspected = true;
            self.emit(Event::Elsewhere { active: true });
            self.expect_the_other();
            self.tell_hub();
        }
    }

    /// It counts as being at work for a while; for longer in the middle of something, since a tool may take its time.
    fn expect_the_other(&mut self) {
        let unfinished = self.file_has(|file| file.resting_state() == SessionState::Paused);
        let seconds = if unfinished { EXTERNAL_WRITER_RUN_SECONDS } else { EXTERNAL_WRITER_SECONDS };
        self.elsewhere_until = Some(Instant::now() + Duration::from_secs(seconds));
    }

    /// What our process has in mind is no longer what stands in the file.
    fn yield_to_the_other(&mut self) {
        self.end_process();
        self.taken_over = false;
        self.expect_the_other();
        if !self.view.elsewhere {
            self.emit(Event::Elsewhere { active: true });
        }
    }

    fn rest_as_the_file_says(&mut self) {
        let Some(state) = self.locked().map(|history| history.resting_state()) else { return };
        if !matches!(state, SessionState::Paused | SessionState::Idle) {
            self.emit(Event::AgentSettled { aborted: false });
        }
        if self.view.state != state {
            self.machine = Machine::resting_in(state);
            self.emit(Event::SessionState { state, reason: String::new() });
        }
    }

    /// Nobody has written for a while.
    pub(super) fn end_elsewhere(&mut self) {
        self.elsewhere_until = None;
        if self.view.elsewhere {
            if self.process.is_none() {
                // What it left open does not end any more.
                self.emit(Event::AgentEnd { will_retry: false });
            }
            self.emit(Event::Elsewhere { active: false });
            self.tell_hub();
        }
    }

    /// The conversation is another than the one shown: everybody gets it anew.
    pub(super) fn read_again(&mut self) {
        let (history, restored) = opening::aside(|| opening::read(&self.origin, &self.hub));
        if history.is_none() {
            return;
        }
        self.end_process();
        self.show(history, restored);
        if let Some(snapshot) = encode(&ServerFrame::Snapshot(Box::new(self.view.snapshot()))) {
            self.pages.retain(|page| page.send_asked_for(snapshot.clone()));
        }
        self.tell_hub();
    }
}
