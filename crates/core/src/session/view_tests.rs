//! The view of a session: its numbered cases, and continuing from a snapshot.

use super::*;
use crate::conversation::controller::test_support::*;
use crate::conversation::queue::{Lane, Scheduled};
use crate::protocol::ServerFrame;
use crate::session::machine::{Follower, Machine, SessionState};

fn view(events: impl IntoIterator<Item = Event>) -> SessionView {
    let mut view = SessionView {
        meta: SessionMeta { session_id: "s".into(), ..SessionMeta::default() },
        ..SessionView::default()
    };
    events.into_iter().for_each(|event| drop(view.apply(event)));
    view
}

/// The view of a client that opens the session, through the encoded frame.
fn reopened(view: &SessionView) -> SessionView {
    let frame = serde_json::to_string(&ServerFrame::Snapshot(Box::new(view.snapshot()))).unwrap();
    let Some(ServerFrame::Snapshot(snapshot)) = ServerFrame::parse(&frame) else {
        panic!("no snapshot: {frame}")
    };
    SessionView::restore(*snapshot)
}

fn rows(view: &SessionView) -> Vec<String> {
    notation(&view.controller)
}

fn queue_of(texts: &[&str]) -> Event {
    let item = |text: &&str| Scheduled {
        id: format!("id of {text}"),
        lane: Lane::Steer,
        text: (*text).into(),
        ..Scheduled::default()
    };
    Event::QueueUpdate { items: texts.iter().map(item).collect() }
}

#[test]
fn case_21_a_retry_is_told_and_the_run_goes_on() {
    let retry = Event::AutoRetryStart {
        attempt: 1,
        max_attempts: 3,
        delay_ms: 2_000,
        error_message: "overloaded".into(),
    };
    let events =
        [Event::AgentStart, ended(failed("overloaded")), Event::AgentEnd { will_retry: true }, retry];
    let mut machine = Machine::resting_in(SessionState::Streaming);
    let mut follower = Follower::default();
    for event in &events {
        follower.step(event).map(|step| machine.apply(step));
    }
    let mut view = view(events);
    assert_eq!(
        view.meta.retry.as_ref().map(|note| note.words()).as_deref(),
        Some("Retrying in 2 s (1 of 3)")
    );
    assert!(
        view.controller.is_running() && machine.state().show_spinner(),
        "an end that will be retried does not end the run"
    );
    for event in [Event::AutoRetryEnd { success: true }, ended(answer("done")), settled()] {
        follower.step(&event).map(|step| machine.apply(step));
        view.apply(event);
    }
    assert!(view.meta.retry.is_none() && !view.controller.is_running());
    assert_eq!(machine.state(), SessionState::Completed);
}

#[test]
fn case_25_a_steering_message_waits_in_the_queue_until_it_is_taken_up() {
    let mut view = view([Event::AgentStart, text(0, "working"), queue_of(&["left"])]);
    assert_eq!((rows(&view), view.meta.queue.items().len()), (vec!["A(working)".to_owned()], 1));
    [queue_of(&[]), starts(user("left"))].into_iter().for_each(|event| drop(view.apply(event)));
    assert_eq!(rows(&view), ["A(working)", "U(left)"]);
    assert!(view.meta.queue.is_empty());
}

#[test]
fn case_29_the_servers_queue_replaces_the_list_exactly() {
    let mut view = view([queue_of(&["a", "b"]), queue_of(&["b", "c"])]);
    let texts: Vec<&str> = view.meta.queue.items().iter().map(|item| item.text.as_str()).collect();
    assert_eq!(texts, ["b", "c"]);
    view.apply(queue_of(&[]));
    assert!(view.meta.queue.is_empty());
}

#[test]
fn case_31_what_is_scheduled_follows_the_servers_queue_and_no_other_event() {
    let ends = [settled(), stopped(), died(), ended(failed("no"))];
    let mut busy = view([Event::AgentStart, queue_of(&["a"])]);
    let other = view([Event::AgentStart]);
    ends.into_iter().for_each(|event| drop(busy.apply(event)));
    assert_eq!(busy.meta.queue.items().len(), 1);
    assert!(other.meta.queue.is_empty(), "each session has its own queue");
    assert_eq!(reopened(&busy).meta.queue, busy.meta.queue);
}

#[test]
fn case_51_a_gap_asks_for_a_snapshot_and_an_old_event_does_nothing() {
    let mut view = view([text(0, "a")]);
    let before = view.clone();
    assert_eq!(view.apply_numbered(1, text(0, "a")), Applied::Old);
    assert_eq!(view.apply_numbered(3, text(0, "c")), Applied::Gap);
    assert_eq!(view, before);
    assert!(matches!(view.apply_numbered(2, text(0, "b")), Applied::Changed(_)));
    assert_eq!(rows(&view), ["A(ab)"]);
}

#[test]
fn case_64_a_page_opened_in_mid_text_goes_on_from_there() {
    let server = view([Event::AgentStart, started(), text(0, "Hel")]);
    let mut page = reopened(&server);
    assert!(matches!(page.apply_numbered(server.seq + 1, text(0, "lo")), Applied::Changed(_)));
    assert_eq!(rows(&page), ["A(Hello)"]);
}

#[test]
fn case_65_a_page_opened_while_a_tool_runs_sees_it_end() {
    let server = view([Event::AgentStart, started(), call(0, "a"), begin("a")]);
    let mut page = reopened(&server);
    assert_eq!(rows(&page), ["T(a, running)"]);
    page.apply_numbered(server.seq + 1, end("a", "R"));
    assert_eq!(rows(&page), ["T(a, done, R)"]);
}

#[test]
fn case_66_of_what_was_buffered_only_what_is_newer_counts() {
    let events: Vec<Event> = "abcdefgh".chars().map(|letter| text(0, &letter.to_string())).collect();
    let mut page = reopened(&view(events[..5].iter().cloned()));
    let outcomes = (3..=8).map(|seq: u64| {
        let event = events[usize::try_from(seq).unwrap() - 1].clone();
        matches!(page.apply_numbered(seq, event), Applied::Changed(_))
    });
    assert_eq!(outcomes.collect::<Vec<_>>(), [false, false, false, true, true, true]);
    assert_eq!(rows(&page), ["A(abcdefgh)"]);
}

#[test]
fn a_question_that_is_opened_twice_is_stored_once_and_closed_with_the_process() {
    let ask = serde_json::from_value(serde_json::json!({ "id": "q", "kind": "confirm", "title": "Run it?" }));
    let ask = Event::AskOpened { ask: ask.unwrap() };
    let mut view = view([ask.clone(), ask]);
    assert_eq!(reopened(&view).meta.asks.len(), 1);
    view.apply(died());
    assert!(view.meta.asks.is_empty());
}
