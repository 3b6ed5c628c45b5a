//! One owner per session file. pi takes no lock: two processes on one file make it branch in silence. So what appears
//! in the file and was not said by our own process was written by another program: the page is told, the session is
//! followed, and nothing is written here until the person says so.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pilothouse_core::SessionState;
use pilothouse_core::event::Event;
use pilothouse_core::limits::ELSEWHERE_SECONDS;
use pilothouse_core::machine::Machine;
use pilothouse_core::message::Message;
use pilothouse_core::wire::ServerFrame;
use serde_json::Value;
use tokio::time::Instant;

use super::{Session, opening};
use crate::page_link::encode;
use crate::pi_sessions::HistoryFile;
use crate::pi_sessions::history_file::{Followed, events_of};

impl Session {
    /// Refuses what would make the file branch.
    pub(super) fn may_write(&self) -> Result<(), String> {
        if self.shutdown.is_some() {
            return Err("The session is being closed.".to_owned());
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

    /// The session's file has changed, or has come to be.
    pub(super) fn file_changed(&mut self) {
        if self.history.is_none() {
            return self.open_own_file();
        }
        // While our own process is at work, the file is ahead of what it has told us: judged when it rests.
        if self.machine.state().is_active() || self.view.compacting || !self.pending.is_empty() {
            return;
        }
        match self.follow() {
            Some(Followed::Appended(messages)) => self.look_at(messages),
            Some(Followed::Replaced) => self.read_again(),
            Some(Followed::Same) => self.take_title(),
            Some(Followed::Gone) | None => {}
        }
    }

    fn follow(&self) -> Option<Followed> {
        let history = self.history.as_ref()?;
        Some(history.lock().unwrap_or_else(PoisonError::into_inner).follow())
    }

    /// Reads on when our own process has told all it wrote; what is there beyond that is another program's.
    pub(super) fn follow_own_file(&mut self) {
        let of_the_other = self.view.elsewhere && !self.taken_over;
        match self.follow() {
            Some(Followed::Same) => {}
            Some(Followed::Appended(_)) if self.process.is_some() => {}
            Some(Followed::Appended(messages)) => self.look_at(messages),
            Some(Followed::Replaced) if of_the_other => self.read_again(),
            Some(Followed::Replaced | Followed::Gone) | None => self.open_own_file(),
        }
    }

    fn open_own_file(&mut self) {
        let opened = opening::read_beside(&self.origin, &self.hub);
        self.history = opened.map(|history| Arc::new(Mutex::new(history)));
    }

    pub(super) fn file_has(&self, is_there: impl FnOnce(&HistoryFile) -> bool) -> bool {
        let history =
            self.history.as_ref().map(|history| history.lock().unwrap_or_else(PoisonError::into_inner));
        history.is_some_and(|history| is_there(&history))
    }

    fn look_at(&mut self, messages: Vec<Message>) {
        // Our own process may be ahead of what it has told: with something of ours on its way, nobody is accused.
        let expects = self.machine.state().is_active() || !self.starting.is_empty() || self.copy.holds_any();
        if self.process.is_some() && expects {
            return;
        }
        let foreign = messages.iter().any(|message| match message {
            Message::User { timestamp: Some(timestamp), .. }
            | Message::Assistant { timestamp: Some(timestamp), .. } => !self.own_messages.contains(timestamp),
            _ => false,
        });
        if !foreign {
            return;
        }
        // What our process has in mind is no longer what stands in the file.
        self.end_process();
        self.taken_over = false;
        self.elsewhere_until = Some(Instant::now() + Duration::from_secs(ELSEWHERE_SECONDS));
        if !self.view.elsewhere {
            self.emit(Event::Elsewhere { active: true });
        }
        for event in events_of(messages) {
            self.emit(event);
        }
        self.rest_as_the_file_says();
        self.take_title();
        self.tell_hub();
    }

    /// Another program may have given it another name.
    fn take_title(&mut self) {
        let title = self
            .history
            .as_ref()
            .map(|history| history.lock().unwrap_or_else(PoisonError::into_inner).title());
        if let Some(title) = title.filter(|title| !title.is_empty() && *title != self.view.title) {
            self.emit(Event::TitleChanged { title });
            self.tell_hub();
        }
    }

    fn rest_as_the_file_says(&mut self) {
        let Some(state) = self
            .history
            .as_ref()
            .map(|history| history.lock().unwrap_or_else(PoisonError::into_inner).resting_state())
        else {
            return;
        };
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
            self.emit(Event::Elsewhere { active: false });
            self.tell_hub();
        }
    }

    /// The conversation is another than the one shown: everybody gets it anew.
    fn read_again(&mut self) {
        let (history, restored) = opening::read(&self.origin, &self.hub);
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
