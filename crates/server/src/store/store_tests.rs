//! Every method, and that a reopened store tells the same.

use std::path::Path;

use pilothouse_core::conversation::ask::{Ask, AskKind};
use pilothouse_core::conversation::message::{Content, Message, Part, StopReason};
use pilothouse_core::conversation::queue::{Lane, Scheduled};
use pilothouse_core::conversation::ui_message::Image;
use pilothouse_core::limits::{REMEMBERED_CLIENT_IDS, SESSION_EXTRAS};
use pilothouse_core::protocol::event::{Event, NoticeLevel};
use serde_json::json;

use super::{Extra, InFlightNote, Prompt, SessionRecord, Store};

pub(super) fn prompt(client_id: &str, text: &str) -> Prompt {
    Prompt { client_id: client_id.to_owned(), text: text.to_owned(), at: 5, ..Prompt::default() }
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
        message: String::new(),
        options: vec!["Yes".to_owned(), "No".to_owned()],
        placeholder: String::new(),
        prefill: String::new(),
        timeout_ms: Some(7),
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

/// Looks at a store as it is and after it was closed and opened again.
fn with_reopened(fill: impl Fn(&Store), look: impl Fn(&Store)) {
    let memory = Store::in_memory().unwrap();
    fill(&memory);
    look(&memory);
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    fill(&store);
    look(&store);
    drop(store);
    look(&Store::open(folder.path()).unwrap());
}

#[test]
fn sessions_keep_their_marks() {
    let made = SessionRecord {
        id: "s1".to_owned(),
        agent: "pi".to_owned(),
        cwd: "/project".to_owned(),
        created: 1_700_000_000_000,
        ..SessionRecord::default()
    };
    with_reopened(
        |store| {
            store.add_session(&made).unwrap();
            store.set_pinned("s1", "other", "/other", true);
            store.set_archived("s1", "", "", true);
            store.mark_read("s1", 20);
            store.mark_read("s1", 10);
            store.set_draft("s1", "Half a thought\0 – with \u{1f6a2}");
            // Made elsewhere: a record comes with the first mark, and learns its agent with a later one.
            store.set_draft("s2", "x");
            store.set_pinned("s2", "pi", "/p", true);
            store.set_pinned("s2", "pi", "/p", false);
            store.set_archived("s3", "pi", "/q", true);
            store.set_draft("s3", "y");
            store.set_draft("s3", "");
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
            assert_eq!(store.open_sessions(), [""; 0], "marks are nothing to come back to");
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
            store.accept_prompt("s1", &first).unwrap();
            store.accept_prompt("s1", &prompt("c2", "second")).unwrap();
            store.accept_prompt("s1", &prompt("c3", "third")).unwrap();
            store.accept_prompt("s2", &prompt("c1", "of another session")).unwrap();
            store.prompt_told("s1", "c1", 77);
            store.prompt_outcome("s1", "c1", &Ok(json!({"scheduled": true})));
            store.prompt_outcome("s1", "c2", &Err("No model.".to_owned()));
            store.prompt_outcome("s1", "c3", &Ok(json!(null)));
            store.prompt_told("s1", "unknown", 1);
            store.settle_prompts("s1", &["c2", "unknown"]);
            store.settle_prompts("s1", &[]);
            // Changed while it waited.
            store.accept_prompt("s2", &prompt("c1", "changed")).unwrap();
            // What is settled is not brought back.
            store.accept_prompt("s1", &prompt("c2", "again")).unwrap();
        },
        |store| {
            let outcomes = [
                ("c1".to_owned(), Some(Ok(json!({"scheduled": true})))),
                ("c2".to_owned(), Some(Err("No model.".to_owned()))),
                ("c3".to_owned(), Some(Ok(json!(null)))),
            ];
            let told = Prompt { told: Some(77), outcome: outcomes[0].1.clone(), ..first.clone() };
            let third = Prompt { outcome: outcomes[2].1.clone(), ..prompt("c3", "third") };
            assert_eq!(store.prompts("s1"), [told, third]);
            assert_eq!(store.prompts("s2"), [prompt("c1", "changed")]);
            assert_eq!(store.client_ids("s1"), outcomes);
            assert_eq!(store.client_ids("s2"), [("c1".to_owned(), None)]);
            assert_eq!(store.client_ids("s3"), []);
            assert_eq!(store.open_sessions(), ["s1", "s2"]);
        },
    );
}

#[test]
fn the_newest_ids_are_remembered_and_no_prompt_that_waits_is_forgotten() {
    let store = Store::in_memory().unwrap();
    let ids: Vec<String> = (0..REMEMBERED_CLIENT_IDS + 10).map(|number| format!("c{number}")).collect();
    for id in &ids {
        store.accept_prompt("s1", &prompt(id, "text")).unwrap();
    }
    let settled: Vec<&str> = ids.iter().skip(1).map(String::as_str).collect();
    store.settle_prompts("s1", &settled);
    let known: Vec<String> = store.client_ids("s1").into_iter().map(|(id, _)| id).collect();
    assert_eq!(known[0], "c0", "it waits still");
    assert_eq!(known[1..], ids[10..]);
    assert_eq!(store.prompts("s1").len(), 1);
    store.settle_prompts("s1", &["c0"]);
    assert_eq!(store.client_ids("s1").len(), REMEMBERED_CLIENT_IDS);
    assert_eq!(store.open_sessions(), [""; 0]);
}

#[test]
fn queue_and_questions_are_whole_lists() {
    let changed =
        Scheduled { text: "b, changed".to_owned(), revision: 1, under_edit: true, ..scheduled("b", "") };
    with_reopened(
        |store| {
            store.save_queue("s1", &[scheduled("a", "a"), scheduled("b", "b"), scheduled("c", "c")]).unwrap();
            store.save_queue("s1", &[scheduled("c", "c"), changed.clone()]).unwrap();
            store.save_asks("s1", &[ask("a"), ask("q")]).unwrap();
            store.save_asks("s1", &[ask("q")]).unwrap();
            store.save_asks("s2", &[ask("q")]).unwrap();
            store.save_asks("s3", &[ask("q")]).unwrap();
            store.save_asks("s3", &[]).unwrap();
        },
        |store| {
            assert_eq!(store.queue("s1"), [scheduled("c", "c"), changed.clone()]);
            assert_eq!(store.asks("s1"), [ask("q")]);
            assert_eq!(store.queue("s2"), []);
            assert_eq!(store.asks("s3"), []);
            assert_eq!(store.open_sessions(), ["s1", "s2"]);
        },
    );
}

#[test]
fn extras_come_by_time_and_the_oldest_go() {
    let note = |text: &str| Event::Notice { level: NoticeLevel::Warning, text: text.to_owned() };
    let extra = |at, text: &str| Extra { at, events: vec![note(text), said(text)] };
    with_reopened(
        |store| {
            for (at, text) in [(30, "third"), (10, "first"), (30, "fourth"), (20, "second")] {
                store.add_extra("s1", &extra(at, text));
            }
            store.add_extra("s2", &Extra::default());
        },
        |store| {
            let expected = [extra(10, "first"), extra(20, "second"), extra(30, "third"), extra(30, "fourth")];
            assert_eq!(store.extras("s1"), expected);
            assert_eq!(store.extras("s2"), [Extra::default()]);
        },
    );
    let store = Store::in_memory().unwrap();
    for at in 0..SESSION_EXTRAS as u64 + 5 {
        store.add_extra("s1", &extra(at, "x"));
    }
    let times: Vec<u64> = store.extras("s1").iter().map(|extra| extra.at).collect();
    assert_eq!(times, (5..SESSION_EXTRAS as u64 + 5).collect::<Vec<_>>());
}

#[test]
fn a_session_is_forgotten_with_everything_of_it() {
    with_reopened(
        |store| {
            for session in ["s1", "s2"] {
                store.set_pinned(session, "pi", "/p", true);
                store.accept_prompt(session, &prompt("c1", "text")).unwrap();
                store.save_queue(session, &[scheduled("a", "a")]).unwrap();
                store.save_asks(session, &[ask("q")]).unwrap();
                store.add_extra(session, &Extra { at: 1, events: vec![said("x")] });
                store.note_in_flight(session, Some(in_flight(1, "x")));
            }
            store.forget_session("s1");
        },
        |store| {
            assert_eq!(store.sessions().len(), 1);
            assert_eq!(store.open_sessions(), ["s2"]);
            assert_eq!(store.client_ids("s1"), []);
            assert_eq!((store.queue("s1"), store.asks("s1")), (Vec::new(), Vec::new()));
            assert_eq!((store.extras("s1"), store.in_flight("s1")), (Vec::new(), None));
            assert_eq!((store.queue("s2").len(), store.asks("s2").len()), (1, 1));
            assert_eq!((store.extras("s2").len(), store.in_flight("s2")), (1, Some(in_flight(1, "x"))));
        },
    );
}

#[test]
fn a_store_opens_only_where_there_is_a_folder() {
    let error = Store::open(Path::new("/nonexistent/data")).unwrap_err();
    assert!(format!("{error:#}").contains("store.db cannot be opened"), "{error:#}");
}
