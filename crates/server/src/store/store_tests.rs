//! Every write and read, before and after the store is closed and opened again.

use std::path::Path;

use pilothouse_core::conversation::ask::{Ask, AskKind};
use pilothouse_core::conversation::message::{Content, Message, Part, StopReason};
use pilothouse_core::conversation::queue::{Lane, Scheduled};
use pilothouse_core::conversation::ui_message::Image;
use pilothouse_core::limits::{REMEMBERED_CLIENT_IDS, SESSION_EXTRAS};
use pilothouse_core::protocol::event::{Event, NoticeLevel};
use pilothouse_core::protocol::{Disposition, Prompted};

use super::{Extra, InFlightNote, Prompt, PromptOutcome, SessionRecord, Store, Write};

pub(super) fn prompt(client_id: &str, text: &str) -> Prompt {
    Prompt { client_id: client_id.to_owned(), text: text.to_owned(), at: 5, ..Prompt::default() }
}

pub(super) fn accept(session: &str, prompt: &Prompt) -> Vec<Write> {
    vec![Write::AcceptPrompt { session: session.to_owned(), prompt: prompt.clone() }]
}

/// Writes and waits for the disk.
fn write(store: &Store, write: Write) {
    store.write(vec![write]).wait().unwrap();
}

fn set_pinned(id: &str, agent: &str, cwd: &str, pinned: bool) -> Write {
    Write::SetPinned { session: id.into(), agent: agent.into(), cwd: cwd.into(), pinned }
}

fn set_archived(id: &str, agent: &str, cwd: &str, archived: bool) -> Write {
    Write::SetArchived { session: id.into(), agent: agent.into(), cwd: cwd.into(), archived }
}

fn set_draft(id: &str, draft: &str) -> Write {
    Write::SetDraft { session: id.into(), draft: draft.into() }
}

fn mark_read(id: &str, at: u64) -> Write {
    Write::MarkRead { session: id.into(), at }
}

fn reported(session: &str, client_id: &str, timestamp: u64) -> Write {
    Write::PromptReported { session: session.into(), client_id: client_id.into(), timestamp }
}

fn set_outcome(session: &str, client_id: &str, outcome: PromptOutcome) -> Write {
    Write::SetOutcome { session: session.into(), client_id: client_id.into(), outcome }
}

fn settle(session: &str, client_ids: &[&str]) -> Write {
    let client_ids = client_ids.iter().map(|id| (*id).to_owned()).collect();
    Write::SettlePrompts { session: session.into(), client_ids }
}

fn save_queue(session: &str, items: &[Scheduled]) -> Write {
    Write::SaveQueue { session: session.into(), items: items.to_vec() }
}

fn save_asks(session: &str, asks: &[Ask]) -> Write {
    Write::SaveAsks { session: session.into(), asks: asks.to_vec() }
}

fn add_extra(session: &str, extra: &Extra) -> Write {
    Write::AddExtra { session: session.into(), extra: extra.clone() }
}

fn image(data: &str) -> Image {
    Image { mime_type: "image/png".to_owned(), data: data.to_owned(), blob: String::new() }
}

fn scheduled(id: &str, text: &str) -> Scheduled {
    Scheduled {
        id: id.to_owned(),
        text: text.to_owned(),
        images: vec![image("AAAA")],
        ..Scheduled::default()
    }
}

fn ask(id: &str) -> Ask {
    Ask {
        id: id.to_owned(),
        kind: AskKind::Select,
        approval: true,
        title: "Run it?".to_owned(),
        options: vec!["Yes".to_owned(), "No".to_owned()],
        timeout_ms: Some(7),
        ..Ask::default()
    }
}

pub(super) fn said(text: &str) -> Event {
    Event::MessageEnd {
        message: Message::Assistant {
            content: Content(vec![Part::Text { text: text.to_owned() }]),
            stop_reason: StopReason::Aborted,
            error_message: None,
            timestamp: Some(9),
        },
    }
}

pub(super) fn in_flight(at: u64, text: &str) -> InFlightNote {
    InFlightNote { at, message: Some(3), events: vec![said(text)] }
}

/// Checks a store as it is, and after it was closed and opened again.
fn with_reopened(fill: impl Fn(&Store), check: impl Fn(&Store)) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    fill(&store);
    store.flush().wait().unwrap();
    check(&store);
    drop(store);
    check(&Store::open(folder.path()).unwrap());
}

/// A store for one test. The folder goes with it.
fn temporary() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    (folder, store)
}

#[test]
fn records_of_sessions_are_kept() {
    let made = SessionRecord {
        id: "s1".to_owned(),
        agent: "pi".to_owned(),
        cwd: "/project".to_owned(),
        created: 1_700_000_000_000,
        ..SessionRecord::default()
    };
    with_reopened(
        |store| {
            write(store, Write::AddSession(made.clone()));
            write(store, set_pinned("s1", "other", "/other", true));
            write(store, set_archived("s1", "", "", true));
            write(store, mark_read("s1", 20));
            write(store, mark_read("s1", 10));
            write(store, set_draft("s1", "Half a thought\0 – with \u{1f6a2}"));
            // Created by another program: the first write creates a record, a later one adds its agent.
            write(store, set_draft("s2", "x"));
            write(store, set_pinned("s2", "pi", "/p", true));
            write(store, set_pinned("s2", "pi", "/p", false));
            write(store, set_archived("s3", "pi", "/q", true));
            write(store, set_draft("s3", "y"));
            write(store, set_draft("s3", ""));
        },
        |store| {
            let expected = [
                SessionRecord {
                    id: "s2".to_owned(),
                    agent: "pi".to_owned(),
                    cwd: "/p".to_owned(),
                    draft: "x".to_owned(),
                    ..SessionRecord::default()
                },
                SessionRecord {
                    id: "s3".to_owned(),
                    agent: "pi".to_owned(),
                    cwd: "/q".to_owned(),
                    archived: true,
                    ..SessionRecord::default()
                },
                SessionRecord {
                    pinned: true,
                    archived: true,
                    read_at: 20,
                    draft: "Half a thought\0 – with \u{1f6a2}".to_owned(),
                    ..made.clone()
                },
            ];
            assert_eq!(store.sessions(), expected);
            assert_eq!(store.unfinished_sessions(), [""; 0], "a session with marks only is not unfinished");
        },
    );
}

#[test]
fn a_prompt_is_kept_until_it_is_settled_and_its_id_for_longer() {
    let first = Prompt {
        images: vec![image("AQID"), image("BBBB")],
        lane: Lane::FollowUp,
        ..prompt("c1", "Do it\u{2028}now")
    };
    with_reopened(
        |store| {
            store.write(accept("s1", &first)).wait().unwrap();
            store.write(accept("s1", &prompt("c2", "second"))).wait().unwrap();
            store.write(accept("s1", &prompt("c3", "third"))).wait().unwrap();
            store.write(accept("s2", &prompt("c1", "of another session"))).wait().unwrap();
            write(store, reported("s1", "c1", 77));
            write(store, set_outcome("s1", "c1", Ok(Some(Prompted { disposition: Disposition::Queued }))));
            write(store, set_outcome("s1", "c2", Err("No model.".to_owned())));
            write(store, set_outcome("s1", "c3", Ok(None)));
            write(store, reported("s1", "unknown", 1));
            write(store, settle("s1", &["c2", "unknown"]));
            write(store, settle("s1", &[]));
            // It was edited while it waited.
            store.write(accept("s2", &prompt("c1", "changed"))).wait().unwrap();
            // A settled prompt is not restored.
            store.write(accept("s1", &prompt("c2", "again"))).wait().unwrap();
        },
        |store| {
            let outcomes = [
                ("c1".to_owned(), Some(Ok(Some(Prompted { disposition: Disposition::Queued })))),
                ("c2".to_owned(), Some(Err("No model.".to_owned()))),
                ("c3".to_owned(), Some(Ok(None))),
            ];
            let first_reported =
                Prompt { reported: Some(77), outcome: outcomes[0].1.clone(), ..first.clone() };
            let third = Prompt { outcome: outcomes[2].1.clone(), ..prompt("c3", "third") };
            assert_eq!(store.prompts("s1"), [first_reported, third]);
            assert_eq!(store.prompts("s2"), [prompt("c1", "changed")]);
            assert_eq!(store.client_ids("s1"), outcomes);
            assert_eq!(store.client_ids("s2"), [("c1".to_owned(), None)]);
            assert_eq!(store.client_ids("s3"), []);
            assert_eq!(store.unfinished_sessions(), ["s1", "s2"]);
        },
    );
}

#[test]
fn the_newest_ids_are_remembered_and_no_unsettled_prompt_is_forgotten() {
    let (_folder, store) = temporary();
    let ids: Vec<String> = (0..REMEMBERED_CLIENT_IDS + 10).map(|number| format!("c{number}")).collect();
    for id in &ids {
        store.write(accept("s1", &prompt(id, "text"))).wait().unwrap();
    }
    let settled: Vec<&str> = ids.iter().skip(1).map(String::as_str).collect();
    write(&store, settle("s1", &settled));
    let known: Vec<String> = store.client_ids("s1").into_iter().map(|(id, _)| id).collect();
    assert_eq!(known[0], "c0", "it is unsettled");
    assert_eq!(known[1..], ids[10..]);
    assert_eq!(store.prompts("s1").len(), 1);
    write(&store, settle("s1", &["c0"]));
    assert_eq!(store.client_ids("s1").len(), REMEMBERED_CLIENT_IDS);
    assert_eq!(store.unfinished_sessions(), [""; 0]);
}

#[test]
fn queue_and_questions_are_stored_as_complete_lists() {
    let changed =
        Scheduled { text: "b, changed".to_owned(), revision: 1, under_edit: true, ..scheduled("b", "") };
    with_reopened(
        |store| {
            write(store, save_queue("s1", &[scheduled("a", "a"), scheduled("b", "b"), scheduled("c", "c")]));
            write(store, save_queue("s1", &[scheduled("c", "c"), changed.clone()]));
            write(store, save_asks("s1", &[ask("a"), ask("q")]));
            write(store, save_asks("s1", &[ask("q")]));
            write(store, save_asks("s2", &[ask("q")]));
            write(store, save_asks("s3", &[ask("q")]));
            write(store, save_asks("s3", &[]));
        },
        |store| {
            assert_eq!(store.queue("s1"), [scheduled("c", "c"), changed.clone()]);
            assert_eq!(store.asks("s1"), [ask("q")]);
            assert_eq!(store.queue("s2"), []);
            assert_eq!(store.asks("s3"), []);
            assert_eq!(store.unfinished_sessions(), ["s1", "s2"]);
        },
    );
}

#[test]
fn extras_are_ordered_by_time_and_the_oldest_are_dropped() {
    let note = |text: &str| Event::Notice { level: NoticeLevel::Warning, text: text.to_owned() };
    let extra = |at, text: &str| Extra { at, events: vec![note(text), said(text)] };
    with_reopened(
        |store| {
            for (at, text) in [(30, "third"), (10, "first"), (30, "fourth"), (20, "second")] {
                write(store, add_extra("s1", &extra(at, text)));
            }
            write(store, add_extra("s2", &Extra::default()));
        },
        |store| {
            let expected = [extra(10, "first"), extra(20, "second"), extra(30, "third"), extra(30, "fourth")];
            assert_eq!(store.extras("s1"), expected);
            assert_eq!(store.extras("s2"), [Extra::default()]);
        },
    );
    let (_folder, store) = temporary();
    for at in 0..SESSION_EXTRAS as u64 + 5 {
        write(&store, add_extra("s1", &extra(at, "x")));
    }
    let times: Vec<u64> = store.extras("s1").iter().map(|extra| extra.at).collect();
    assert_eq!(times, (5..SESSION_EXTRAS as u64 + 5).collect::<Vec<_>>());
}

#[test]
fn forgetting_a_session_removes_everything_of_it() {
    with_reopened(
        |store| {
            for session in ["s1", "s2"] {
                write(store, set_pinned(session, "pi", "/p", true));
                store.write(accept(session, &prompt("c1", "text"))).wait().unwrap();
                write(store, save_queue(session, &[scheduled("a", "a")]));
                write(store, save_asks(session, &[ask("q")]));
                write(store, add_extra(session, &Extra { at: 1, events: vec![said("x")] }));
                store.note_in_flight(session, Some(in_flight(1, "x")));
            }
            write(store, Write::ForgetSession { session: "s1".to_owned() });
        },
        |store| {
            assert_eq!(store.sessions().len(), 1);
            assert_eq!(store.unfinished_sessions(), ["s2"]);
            assert_eq!(store.client_ids("s1"), []);
            assert_eq!((store.queue("s1"), store.asks("s1")), (Vec::new(), Vec::new()));
            assert_eq!((store.extras("s1"), store.in_flight("s1")), (Vec::new(), None));
            assert_eq!((store.queue("s2").len(), store.asks("s2").len()), (1, 1));
            assert_eq!((store.extras("s2").len(), store.in_flight("s2")), (1, Some(in_flight(1, "x"))));
        },
    );
}

#[test]
fn a_store_needs_an_existing_folder() {
    let error = Store::open(Path::new("/nonexistent/data")).unwrap_err();
    assert!(format!("{error:#}").contains("store.db cannot be opened"), "{error:#}");
}
