//! Damaged, foreign and unwritable files.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use pilothouse_core::conversation::ask::auto_approve::AutoApprove;
use pilothouse_core::protocol::Capabilities;
use rusqlite::Connection;

use super::store_tests::{accept, in_flight, prompt};
use super::{DeviceRecord, FILE, PairingCode, SessionRecord, Store, Write};

fn files_named(folder: &Path, part: &str) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.contains(part)).collect()
}

#[test]
fn a_damaged_store_is_moved_aside_and_a_new_one_created() {
    for broken in [
        b"This is no database, but long enough to look like one at first sight.".repeat(100),
        b"SQLite format 3\0".to_vec(),
        [b"SQLite format 3\0".to_vec(), vec![0xff; 8_192]].concat(),
    ] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), &broken).unwrap();
        let store = Store::open(folder.path()).unwrap();
        store.write(accept("s1", &prompt("c1", "text"))).wait().unwrap();
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
        store.write(accept("s1", &prompt(&format!("c{number}"), &"text ".repeat(2_000)))).wait().unwrap();
    }
    drop(store);
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2 / 4_096 * 4_096;
    bytes[4_096..middle].fill(0x5a);
    std::fs::write(&path, bytes).unwrap();
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(files_named(folder.path(), "store.db.broken-").len(), 1);
    // Half of its pages are lost; `damage_tests` looks at what is kept.
    assert!(store.prompts("s1").len() < 50);
}

#[test]
fn a_store_of_a_newer_version_is_an_error_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::open(folder.path()).unwrap());
    let path = folder.path().join(FILE);
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = format!("{:#}", Store::open(folder.path()).unwrap_err());
    assert!(error.contains("newer Pilothouse") && error.contains("store.db"), "{error}");
    assert!(files_named(folder.path(), "broken").is_empty());
}

#[test]
fn a_store_of_the_first_version_keeps_its_records_and_gets_the_new_columns() {
    let folder = tempfile::tempdir().unwrap();
    let first = Connection::open(folder.path().join(FILE)).unwrap();
    first.execute_batch(super::database::MIGRATIONS[0]).unwrap();
    first.pragma_update(None, "user_version", 1).unwrap();
    first.execute("INSERT INTO sessions VALUES ('s', 'pi', '/ship', 5, 1, 0, 7, 'half')", []).unwrap();
    drop(first);
    let store = Store::open(folder.path()).unwrap();
    let record = SessionRecord {
        id: "s".to_owned(),
        agent: "pi".to_owned(),
        cwd: "/ship".to_owned(),
        created: 5,
        pinned: true,
        read_at: 7,
        draft: "half".to_owned(),
        ..SessionRecord::default()
    };
    assert_eq!(store.sessions(), [record]);
    let level = AutoApprove::Reading;
    let (session, agent, cwd) = ("s".to_owned(), String::new(), String::new());
    let writes = vec![
        Write::SetAutoApprove { session, agent, cwd, level },
        Write::SetFolderAutoApprove { folder: "/ship".to_owned(), level: AutoApprove::Edits },
    ];
    store.write(writes).wait().unwrap();
    assert_eq!(store.sessions()[0].auto_approve, AutoApprove::Reading);
    assert_eq!(store.folder_auto_approve("/ship"), AutoApprove::Edits);
    assert_eq!(store.folder_auto_approve("/other"), AutoApprove::Off);
    let capabilities = Capabilities { compact: true, ..Capabilities::default() };
    let (agent, known) = ("pi".to_owned(), capabilities.clone());
    store.write(vec![Write::SetAgentCapabilities { agent, capabilities }]).wait().unwrap();
    assert_eq!(store.agent_capabilities(), [("pi".to_owned(), known)].into());
    let device = DeviceRecord { id: "d".to_owned(), hash: vec![1, 2], created: 3, ..DeviceRecord::default() };
    let code = PairingCode { hash: vec![4], expires: u64::from(u32::MAX) * 1_000 };
    store.write(vec![Write::AddDevice(device.clone()), Write::AddPairingCode(code.clone())]).wait().unwrap();
    assert_eq!((store.devices(), store.pairing_codes()), (vec![device], vec![code]));
}

#[test]
fn only_the_owner_can_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    std::fs::write(&path, "").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let store = Store::open(folder.path()).unwrap();
    store.write(accept("s1", &prompt("c1", "text"))).wait().unwrap();
    store.note_in_flight("s1", Some(in_flight(1, "x")));
    store.flush().wait().unwrap();
    let names = files_named(folder.path(), FILE);
    assert!(names.len() >= 2, "the log has the same permissions: {names:?}");
    for name in names {
        let mode = std::fs::metadata(folder.path().join(&name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn an_unwritable_store_is_an_error_in_words_and_a_problem_while_it_lasts() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let blocker = Connection::open(folder.path().join(FILE)).unwrap();
    // A trigger makes every write of a prompt fail, without waiting for a lock.
    let forbid = "CREATE TRIGGER forbid BEFORE INSERT ON prompts BEGIN SELECT raise(ABORT, 'no'); END";
    blocker.execute_batch(forbid).unwrap();
    let other = Write::SetDraft { session: "s2".to_owned(), draft: "kept".to_owned() };
    let refused = store.write([accept("s1", &prompt("c1", "a secret")), vec![other.clone()]].concat());
    let accepted = store.write(vec![other]);
    let error = pilothouse_core::protocol::CommandError::from(refused.wait().unwrap_err());
    assert_eq!(error.code, pilothouse_core::protocol::ErrorCode::NotStored);
    assert!(error.message.starts_with("Couldn't save") && !error.message.contains("secret"), "{error:?}");
    assert_eq!(accepted.wait(), Ok(()), "writes of others are not affected");
    assert_eq!(store.sessions().len(), 1, "nothing of the failed unit is stored, everything of the other");

    let mut problem = store.problem();
    blocker.execute_batch("DROP TRIGGER forbid").unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(problem.wait_for(Option::is_none)).unwrap();
    assert_eq!(store.write(accept("s1", &prompt("c1", "text"))).wait(), Ok(()));
}

#[test]
fn unreadable_columns_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    store.write(accept("s1", &prompt("c1", "text"))).wait().unwrap();
    let damage = "UPDATE prompts SET lane = 'sideways', images = '{', outcome = '[]';
        INSERT INTO lists VALUES ('s1', 'queue', '[\"a\", \"b\"]');
        INSERT INTO items (session, list, id, item) VALUES ('s1', 'queue', 'a', '7');
        INSERT INTO extras (session, at, events) VALUES ('s1', -4, '[{\"type\": \"later\"}, 5]');";
    Connection::open(folder.path().join(FILE)).unwrap().execute_batch(damage).unwrap();
    assert_eq!(store.prompts("s1"), [prompt("c1", "text")]);
    assert_eq!(store.queue("s1"), []);
    let extras = store.extras("s1");
    assert_eq!((extras[0].at, extras[0].events.len()), (0, 1));
}
