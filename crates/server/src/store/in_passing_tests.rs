//! Notes in passing, and many hands at once.

use std::sync::Barrier;

use pilothouse_core::limits::IN_FLIGHT_BYTES;

use super::store_tests::{in_flight, prompt, said};
use super::{InFlightNote, Store};

#[test]
fn the_newest_note_is_what_is_read_at_any_moment() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    for at in 1..=500 {
        store.note_in_flight("s1", Some(in_flight(at, "so far")));
        assert_eq!(store.in_flight("s1"), Some(in_flight(at, "so far")));
        assert_eq!(store.open_sessions(), ["s1"]);
        if at % 7 == 0 {
            store.note_in_flight("s1", None);
            assert_eq!(store.in_flight("s1"), None);
            assert_eq!(store.open_sessions(), [""; 0]);
        }
    }
    drop(store);
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(store.in_flight("s1"), Some(in_flight(500, "so far")), "the last handle wrote it");
    store.note_in_flight("s1", None);
    store.close();
    assert_eq!(store.in_flight("s1"), None);
    store.close();
    store.note_in_flight("s1", Some(in_flight(1, "after the end")));
    assert_eq!(store.in_flight("s1"), None);
    store.accept_prompt("s1", &prompt("c1", "still taken")).unwrap();
}

#[test]
fn a_message_that_is_too_large_is_kept_as_far_as_it_was() {
    let store = Store::in_memory().unwrap();
    store.note_in_flight("s1", Some(in_flight(1, "so far")));
    store.close();
    let store = Store::of(store.0.durable.clone(), store.0.plain.clone()).unwrap();
    store.note_in_flight("s1", Some(in_flight(2, &"x".repeat(IN_FLIGHT_BYTES))));
    store.close();
    assert_eq!(store.in_flight("s1"), Some(in_flight(1, "so far")));
}

#[test]
fn many_threads_write_at_once_and_nothing_is_lost() {
    const THREADS: u64 = 8;
    const EACH: u64 = 25;
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let start = Barrier::new(THREADS as usize);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (store, start) = (store.clone(), &start);
            scope.spawn(move || {
                start.wait();
                let session = format!("s{thread}");
                for number in 0..EACH {
                    let id = format!("c{number}");
                    store.accept_prompt(&session, &prompt(&id, "text")).unwrap();
                    store.note_in_flight(
                        &session,
                        Some(InFlightNote { at: number, message: None, events: vec![said("x")] }),
                    );
                    store.set_draft(&session, &id);
                    store.prompt_outcome(&session, &id, &Ok(number.into()));
                    store.mark_read("shared", number);
                    assert_eq!(store.prompts(&session).len() as u64, number + 1);
                }
            });
        }
    });
    drop(store);
    let store = Store::open(folder.path()).unwrap();
    for thread in 0..THREADS {
        let session = format!("s{thread}");
        assert_eq!(store.prompts(&session).len() as u64, EACH);
        assert!(store.client_ids(&session).iter().all(|(_, outcome)| outcome.is_some()));
        assert_eq!(store.in_flight(&session).map(|note| note.at), Some(EACH - 1));
    }
    let shared = store.sessions().into_iter().find(|session| session.id == "shared").unwrap();
    assert_eq!(shared.read_at, EACH - 1);
}
