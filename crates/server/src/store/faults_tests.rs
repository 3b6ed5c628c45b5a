//! Files that are not as they should be.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rusqlite::Connection;

use super::store_tests::{in_flight, prompt};
use super::{FILE, Store};

fn files_named(folder: &Path, part: &str) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.contains(part)).collect()
}

#[test]
fn a_broken_store_is_moved_aside_and_a_new_one_made() {
    for broken in [
        b"This is no database, but long enough to look like one at first sight.".repeat(100),
        b"SQLite format 3\0".to_vec(),
        [b"SQLite format 3\0".to_vec(), vec![0xff; 8_192]].concat(),
    ] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), &broken).unwrap();
        let store = Store::open(folder.path()).unwrap();
        store.accept_prompt("s1", &prompt("c1", "text")).unwrap();
        let aside = files_named(folder.path(), "store.db.broken-");
        assert_eq!(aside.len(), 1, "{aside:?}");
        assert_eq!(std::fs::read(folder.path().join(&aside[0])).unwrap(), broken, "nothing is thrown away");
        drop(store);
        assert_eq!(Store::open(folder.path()).unwrap().prompts("s1").len(), 1);
        assert_eq!(files_named(folder.path(), "broken").len(), 1);
    }
}

#[test]
fn a_store_that_is_damaged_inside_is_moved_aside_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    let store = Store::open(folder.path()).unwrap();
    for number in 0..50 {
        store.accept_prompt("s1", &prompt(&format!("c{number}"), &"text ".repeat(2_000))).unwrap();
    }
    drop(store);
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2 / 4_096 * 4_096;
    bytes[4_096..middle].fill(0x5a);
    std::fs::write(&path, bytes).unwrap();
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(files_named(folder.path(), "store.db.broken-").len(), 1);
    assert_eq!(store.prompts("s1"), []);
}

#[test]
fn a_store_of_a_newer_version_is_left_alone_and_told() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::open(folder.path()).unwrap());
    let path = folder.path().join(FILE);
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = format!("{:#}", Store::open(folder.path()).unwrap_err());
    assert!(error.contains("newer Pilothouse") && error.contains("store.db"), "{error}");
    assert!(files_named(folder.path(), "broken").is_empty());
}

#[test]
fn only_the_owner_can_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    std::fs::write(&path, "").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let store = Store::open(folder.path()).unwrap();
    store.accept_prompt("s1", &prompt("c1", "text")).unwrap();
    store.note_in_flight("s1", Some(in_flight(1, "x")));
    let names = files_named(folder.path(), FILE);
    assert!(names.len() >= 2, "the log is there as well: {names:?}");
    for name in names {
        let mode = std::fs::metadata(folder.path().join(&name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn a_disk_that_takes_nothing_is_an_error_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    store.0.durable.lock().unwrap().pragma_update(None, "query_only", true).unwrap();
    let error = store.accept_prompt("s1", &prompt("c1", "a secret")).unwrap_err();
    let error = format!("{error:#}");
    assert!(error.starts_with("The message could not be stored"), "{error}");
    assert!(!error.contains("secret"), "{error}");
    assert!(store.save_queue("s1", &[]).is_err() && store.save_asks("s1", &[]).is_err());
    store.prompt_told("s1", "c1", 1);
    store.forget_session("s1");
}

#[test]
fn what_another_version_wrote_into_a_column_is_left_out() {
    let store = Store::in_memory().unwrap();
    store.accept_prompt("s1", &prompt("c1", "text")).unwrap();
    let damage = "UPDATE prompts SET lane = 'sideways', images = '{', outcome = '[]';
        INSERT INTO lists VALUES ('s1', 'queue', '[\"a\", \"b\"]');
        INSERT INTO items (session, list, id, item) VALUES ('s1', 'queue', 'a', '7');
        INSERT INTO extras (session, at, events) VALUES ('s1', -4, '[{\"type\": \"later\"}, 5]');";
    store.0.durable.lock().unwrap().execute_batch(damage).unwrap();
    assert_eq!(store.prompts("s1"), [prompt("c1", "text")]);
    assert_eq!(store.queue("s1"), []);
    let extras = store.extras("s1");
    assert_eq!((extras[0].at, extras[0].events.len()), (0, 1));
}
