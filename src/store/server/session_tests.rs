//! An opened session applies its events, requests a snapshot after a gap, and counts its runs.

use pilothouse_core::conversation::message::{Content, Message, Part};
use pilothouse_core::protocol::event::{Event, Update};
use pilothouse_core::protocol::{ServerFrame, SessionMeta, SessionSummary};
use pilothouse_core::{Kind, SessionState, SessionView};

use super::*;
use crate::store::server::{FrameEffect, ServerState};

struct Fixture {
    server: ServerState,
    session: Session,
    view: SessionView,
    _owner: Owner,
}

impl Fixture {
    fn new() -> Self {
        let owner = Owner::new();
        owner.set();
        let server = ServerState::new();
        let session = server.show("s").0;
        let view = SessionView {
            epoch: "e".into(),
            meta: SessionMeta { session_id: "s".into(), ..SessionMeta::default() },
            ..SessionView::default()
        };
        let fixture = Self { server, session, view, _owner: owner };
        fixture.snapshot();
        fixture
    }

    fn snapshot(&self) -> FrameEffect {
        let effect = self.server.apply(ServerFrame::Snapshot(Box::new(self.view.snapshot())));
        self.server.update_signals();
        effect
    }

    /// Applies an event on the server's side; the page receives it only if `arrives`.
    fn event(&mut self, event: Event, arrives: bool) -> FrameEffect {
        self.view.apply(event.clone());
        if !arrives {
            return FrameEffect::Nothing;
        }
        let frame = ServerFrame::Event { session_id: "s".into(), seq: self.view.seq, event };
        let effect = self.server.apply(frame);
        self.server.update_signals();
        effect
    }

    fn state(&mut self, state: SessionState) {
        self.event(Event::SessionState { state, reason: String::new() }, true);
    }

    fn delta(&mut self, index: usize) {
        let update = Update::TextDelta { content_index: index, delta: "x".into() };
        self.event(Event::MessageUpdate { update }, true);
    }

    fn live(&self) -> Vec<String> {
        let rows = self.session.rows.get_untracked();
        rows.iter().filter(|row| row.is_live()).map(|row| row.id().to_owned()).collect()
    }
}

fn user(text: &str) -> Event {
    let content = Content(vec![Part::Text { text: text.into() }]);
    Event::MessageStart { message: Message::User { content, client_id: Some(text.into()), timestamp: None } }
}

#[test]
fn after_a_missing_event_nothing_is_applied_before_the_snapshot() {
    let mut fixture = Fixture::new();
    fixture.event(user("one"), true);
    fixture.event(user("two"), false);
    assert_eq!(fixture.event(user("three"), true), FrameEffect::Gap("s".into()));
    assert_eq!(fixture.event(user("four"), true), FrameEffect::Nothing, "the snapshot was requested already");
    assert_eq!(fixture.session.rows.get_untracked().len(), 1);
    assert_eq!(fixture.snapshot(), FrameEffect::Replaced("s".into()));
    assert_eq!(fixture.session.rows.get_untracked().len(), 4);
    fixture.event(user("five"), true);
    assert_eq!(fixture.session.rows.get_untracked().len(), 5);
    assert_eq!(fixture.session.seq.get_untracked(), fixture.view.seq);
}

#[test]
fn a_resent_event_changes_nothing() {
    let mut fixture = Fixture::new();
    fixture.event(user("one"), true);
    let again = ServerFrame::Event { session_id: "s".into(), seq: 1, event: user("one") };
    assert_eq!(fixture.server.apply(again), FrameEffect::Nothing);
    fixture.server.update_signals();
    assert_eq!(fixture.session.rows.get_untracked().len(), 1);
}

#[test]
fn consecutive_runs_have_different_numbers() {
    let mut fixture = Fixture::new();
    fixture.event(user("one"), true);
    fixture.state(SessionState::Streaming);
    let first = fixture.session.run();
    fixture.state(SessionState::WaitingInput);
    fixture.snapshot();
    assert_eq!(fixture.session.run(), first, "a snapshot of the same run");
    fixture.state(SessionState::Completed);
    fixture.event(user("two"), true);
    fixture.state(SessionState::Streaming);
    assert_ne!(fixture.session.run(), first);
}

#[test]
fn a_run_that_started_while_disconnected_counts_as_new() {
    let mut fixture = Fixture::new();
    fixture.event(user("one"), true);
    fixture.state(SessionState::Streaming);
    let first = fixture.session.run();
    fixture.event(user("two"), false);
    fixture.snapshot();
    assert_ne!(fixture.session.run(), first);
}

#[test]
fn only_the_last_text_of_a_running_conversation_is_live() {
    let mut fixture = Fixture::new();
    fixture.state(SessionState::Streaming);
    fixture.event(Event::AgentStart, true);
    fixture.delta(0);
    assert_eq!(fixture.live(), ["r0"]);
    fixture.delta(1);
    assert_eq!(fixture.live(), ["r1"]);
    fixture.event(Event::AgentSettled { aborted: false }, true);
    fixture.state(SessionState::Completed);
    assert!(fixture.live().is_empty());
    assert_eq!(fixture.session.rows.get_untracked()[0].kind(), Kind::Assistant);
}

#[test]
fn a_removed_session_is_missing_and_the_oldest_one_is_evicted() {
    let fixture = Fixture::new();
    fixture.server.apply(ServerFrame::SessionsChanged { changed: Vec::new(), removed: vec!["s".into()] });
    assert!(matches!(fixture.session.loading.get_untracked(), Loading::Missing(_)));
    assert!(fixture.session.cursor().is_none());
    let evicted: Vec<String> = (0..8).flat_map(|number| fixture.server.show(&number.to_string()).1).collect();
    assert_eq!(evicted, ["s"]);
    assert!(fixture.server.opened("s").is_none());
}

#[test]
fn a_change_of_one_session_touches_only_its_row() {
    let fixture = Fixture::new();
    let server = fixture.server;
    let summary = |id: &str, title: &str, modified| SessionSummary {
        id: id.into(),
        title: title.into(),
        modified,
        ..SessionSummary::default()
    };
    server.set_sessions(vec![summary("a", "A", 1), summary("b", "B", 2)]);
    let runs = StoredValue::new([0, 0]);
    let row = |index: usize, id: &'static str| {
        Memo::new(move |_| {
            runs.update_value(|runs| runs[index] += 1);
            server.summary(id).map(|summary| summary.title)
        })
    };
    let rows = [row(0, "a"), row(1, "b")];
    let titles = || rows.map(|row| row.get_untracked().unwrap_or_default());
    assert_eq!(titles(), ["A", "B"]);
    let change = |summary| {
        let frame = ServerFrame::SessionsChanged { changed: vec![summary], removed: Vec::new() };
        server.apply(frame);
    };
    // The change also moves the session to the top.
    change(summary("a", "A2", 3));
    assert_eq!(titles(), ["A2", "B"]);
    assert_eq!(runs.get_value(), [2, 1]);
    change(summary("c", "C", 4));
    assert_eq!(titles(), ["A2", "B"]);
    assert_eq!(runs.get_value(), [2, 1], "a new session touches no other row");
}
