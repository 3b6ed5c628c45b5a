//! What pages hear of a session: all of it when they come, every event from then on, and its row in the sidebars.

use axum::extract::ws::Utf8Bytes;
use pilothouse_core::protocol::event::Event;
use pilothouse_core::protocol::{Cursor, ServerFrame, SessionSummary};
use pilothouse_core::session::machine::StateEvent;
use serde_json::json;

use super::Session;
use crate::client::{Client, encode};
use crate::clock::now_ms;

impl Session {
    pub(super) fn subscribe(&mut self, page: Client, request: Option<String>, cursor: Option<Cursor>) {
        self.pages.retain(|link| link.id() != page.id());
        self.view.draft = self.hub.draft(&self.origin.id);
        let missing = cursor
            .filter(|cursor| cursor.epoch == self.view.epoch)
            .and_then(|cursor| self.replay_after(cursor.seq));
        let sent = match missing {
            Some(frames) => frames.into_iter().all(|frame| page.send_asked_for(frame)),
            None => encode(&ServerFrame::Snapshot(Box::new(self.view.snapshot())))
                .is_some_and(|snapshot| page.send_asked_for(snapshot)),
        };
        if let Some(request) = request {
            page.respond(request, "open_session", Ok(json!({})));
        }
        if sent {
            self.pages.push(page);
        }
    }

    fn replay_after(&self, seq: u64) -> Option<Vec<Utf8Bytes>> {
        if seq == self.view.seq {
            return Some(Vec::new());
        }
        self.replay.after(seq).map(Iterator::collect)
    }

    /// Numbers an event, folds it and sends it to every page that watches.
    pub(super) fn emit(&mut self, mut event: Event) {
        self.origin.blobs.extract_from_event(&mut event);
        self.watch_event(&event);
        let seq = self.view.seq + 1;
        let frame =
            encode(&ServerFrame::Event { session_id: self.origin.id.clone(), seq, event: event.clone() });
        self.view.apply(event);
        if let Some(frame) = frame {
            self.replay.push(seq, frame.clone());
            self.pages.retain(|page| page.send(frame.clone()));
        }
    }

    /// Moves the state machine; a change is told to the pages and to every sidebar.
    pub(super) fn step(&mut self, event: StateEvent, reason: &str) {
        if self.machine.apply(event) {
            self.emit(Event::SessionState { state: self.machine.state(), reason: reason.to_owned() });
            self.tell_hub();
        }
    }

    pub(super) fn tell_hub(&self) {
        self.hub.session_changed(SessionSummary {
            id: self.origin.id.clone(),
            agent: self.origin.agent.name.clone(),
            cwd: self.view.cwd.clone(),
            title: self.view.title.clone(),
            state: self.machine.state(),
            modified: now_ms(),
            reason: self.view.reason.clone(),
            elsewhere: self.view.elsewhere,
            asks: self.view.asks.clone(),
            ..SessionSummary::default()
        });
    }
}
