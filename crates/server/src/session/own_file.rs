//! The session's own file, read as far as it has come: what it has, and whose it is. What follows from another's
//! writing is `elsewhere`'s business.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pilothouse_core::conversation::message::Message;
use pilothouse_core::protocol::event::Event;

use super::{Session, opening};
use crate::history::HistoryFile;
use crate::history::history_file::{FileChange, live_events};

/// Whose the messages are that the file has beyond those that were looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    Ours,
    Theirs,
    Both,
}

impl Session {
    /// Our own process has told all it has to tell for now. What it wrote is known to be in its file.
    pub(super) fn follow_own_file(&mut self) {
        if self.history.is_none() {
            self.open_own_file();
        }
        self.read_on();
        if self.whose() == Whose::Ours {
            self.own();
        }
        self.judge_later();
    }

    /// Our own process is gone. What it wrote and did not live to tell is told now: nobody else is accused of it.
    pub(super) fn take_in_rest(&mut self) {
        if self.history.is_none() {
            return self.open_own_file();
        }
        self.read_on();
        if self.view.elsewhere && !self.taken_over {
            return self.judge();
        }
        match self.take_in() {
            Some(FileChange::Appended(mut messages)) => {
                let untold = |message: &Message| message.timestamp().is_some_and(|time| !self.is_own(time));
                if let Some(first) = messages.iter().position(untold) {
                    live_events(messages.split_off(first)).for_each(|event| self.emit(event));
                }
            }
            Some(FileChange::Replaced) => {
                self.open_own_file();
                self.reread = false;
            }
            _ => {}
        }
    }

    fn is_own(&self, time: u64) -> bool {
        // The newest are met most.
        self.own_messages.iter().rev().any(|own| *own == time)
    }

    /// No person and no model has said anything that our own process did not tell.
    pub(super) fn own(&mut self) {
        match self.take_in() {
            Some(FileChange::Replaced) if self.process.is_some() => {
                self.open_own_file();
                self.reread = false;
            }
            Some(FileChange::Replaced) => self.read_again(),
            Some(FileChange::Unchanged) => self.take_title(),
            // Without a process of ours it is the other program's: the result of a tool, a command, a summary.
            Some(FileChange::Appended(messages)) if self.process.is_none() => self.follow_the_other(messages),
            Some(FileChange::Appended(_) | FileChange::Deleted) | None => {}
        }
    }

    /// What the file has by now is what is shown, or is about to be.
    pub(super) fn take_in(&mut self) -> Option<FileChange> {
        let followed = self.locked().map(|mut history| history.take_appended());
        self.judged = self.entries();
        if std::mem::take(&mut self.reread) { Some(FileChange::Replaced) } else { followed }
    }

    pub(super) fn whose(&self) -> Whose {
        let history = self.locked();
        let Some(history) = history else { return Whose::Ours };
        let is_own = |time: u64| time == 0 || self.is_own(time);
        let (mut ours, mut theirs) = (false, false);
        for own in history.message_times_from(self.judged).map(is_own) {
            ours |= own;
            theirs |= !own;
        }
        match (ours, theirs) {
            (_, false) => Whose::Ours,
            (false, true) => Whose::Theirs,
            (true, true) => Whose::Both,
        }
    }

    /// Knows what the file has by now, and tells nothing of it yet.
    pub(super) fn read_on(&mut self) {
        let fits = self.locked().is_some_and(|mut history| history.read_appended());
        if !fits && self.history.is_some() {
            self.open_own_file();
        }
    }

    pub(super) fn open_own_file(&mut self) {
        let opened = opening::aside(|| opening::read_beside(&self.origin, &self.hub));
        self.judged = self.judged.min(opened.as_ref().map_or(0, HistoryFile::entry_count));
        self.reread |= self.history.is_some();
        self.history = opened.map(|history| Arc::new(Mutex::new(history)));
    }

    pub(super) fn locked(&self) -> Option<MutexGuard<'_, HistoryFile>> {
        self.history.as_ref().map(|history| history.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn entries(&self) -> usize {
        self.locked().map_or(0, |history| history.entry_count())
    }

    pub(super) fn file_has(&self, is_there: impl FnOnce(&HistoryFile) -> bool) -> bool {
        self.locked().is_some_and(|history| is_there(&history))
    }

    /// Another program may have given it another name.
    pub(super) fn take_title(&mut self) {
        let title = self.locked().map(|history| history.title());
        if let Some(title) = title.filter(|title| !title.is_empty() && *title != self.view.title) {
            self.emit(Event::TitleChanged { title });
            self.tell_hub();
        }
    }
}
