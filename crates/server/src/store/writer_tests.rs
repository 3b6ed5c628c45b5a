//! The writing thread: notes, concurrency and group commit.

use std::sync::{Arc, Barrier};

use pilothouse_core::limits::{IN_FLIGHT_BYTES, STORE_QUEUE_JOBS};
use pilothouse_core::protocol::{Disposition, Prompted};

use super::store_tests::{accept, in_flight, prompt, said};
use super::{Durable, InFlightNote, Store, Write};

#[test]
fn the_newest_note_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    for at in 1..=200 {
        store.note_in_flight("s1", Some(in_flight(at, "so far")));
        if at % 7 == 0 {
            store.flush().wait().unwrap();
            assert_eq!(store.in_flight("s1"), Some(in_flight(at, "so far")));
            assert_eq!(store.unfinished_sessions(), ["s1"]);
            store.note_in_flight("s1", None);
            store.flush().wait().unwrap();
            assert_eq!(store.in_flight("s1"), None);
            assert_eq!(store.unfinished_sessions(), [""; 0]);
        }
    }
    drop(store);
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(store.in_flight("s1"), Some(in_flight(200, "so far")), "dropping the store writes it");
    store.close();
    store.close();
    assert!(store.write(accept("s1", &prompt("c1", "too late"))).wait().is_err());
    assert_eq!(store.prompts("s1"), [], "a closed store still reads");
}

#[test]
fn a_note_that_is_too_large_keeps_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    store.note_in_flight("s1", Some(in_flight(1, "so far")));
    store.flush().wait().unwrap();
    store.note_in_flight("s1", Some(in_flight(2, &"x".repeat(IN_FLIGHT_BYTES))));
    store.flush().wait().unwrap();
    assert_eq!(store.in_flight("s1"), Some(in_flight(1, "so far")));
}

#[test]
fn a_forgotten_session_leaves_no_note_behind() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    store.note_in_flight("s1", Some(in_flight(1, "so far")));
    store.write(vec![Write::ForgetSession { session: "s1".to_owned() }]).wait().unwrap();
    assert_eq!(store.unfinished_sessions(), [""; 0]);
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
                    store.write(accept(&session, &prompt(&id, "text"))).wait().unwrap();
                    let note = InFlightNote { at: number, message: None, events: vec![said("x")] };
                    store.note_in_flight(&session, Some(note));
                    let outcome = Ok(Some(Prompted { disposition: Disposition::Started }));
                    store.submit(vec![
                        Write::SetDraft { session: session.clone(), draft: id.clone() },
                        Write::SetOutcome { session: session.clone(), client_id: id, outcome },
                        Write::MarkRead { session: "shared".to_owned(), at: number },
                    ]);
                    assert_eq!(store.prompts(&session).len() as u64, number + 1, "own writes are readable");
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

#[test]
fn a_full_queue_refuses_and_is_a_problem_until_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let mut problem = store.problem();
    let barrier = Arc::new(Barrier::new(2));
    let blocked = {
        let barrier = barrier.clone();
        store.write_then(vec![Write::Touch], move || {
            barrier.wait();
            barrier.wait();
        })
    };
    // The writing thread now waits in the middle of a batch, with an empty queue.
    barrier.wait();
    let queued: Vec<Durable> = (0..STORE_QUEUE_JOBS).map(|_| store.write(vec![Write::Touch])).collect();
    assert_eq!(*problem.borrow_and_update(), None);
    let error = store.write(vec![Write::Touch]).wait().unwrap_err();
    assert!(error.to_string().contains("too many writes"), "{error}");
    assert_eq!(*problem.borrow_and_update(), Some(error.to_string()));
    barrier.wait();
    blocked.wait().unwrap();
    queued.into_iter().for_each(|durable| durable.wait().unwrap());
    store.flush().wait().unwrap();
    assert_eq!(*problem.borrow_and_update(), None, "everything is written");
}
