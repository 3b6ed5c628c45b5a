//! Files that grow, are replaced or deleted, and damaged indexes.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use rusqlite::Connection;
use serde_json::json;

use super::query_tests::{Fixture, lines, tool_output, user_message};
use super::{FILE, Search, database};

impl Fixture {
    fn append(&self, session: &str, text: &str) {
        let mut file = OpenOptions::new().append(true).open(self.path(session)).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        self.note(session, "");
    }

    /// The number of rows in a table, read with a separate connection.
    fn count(&self, table: &str) -> i64 {
        let connection = Connection::open(self.folder.path().join(FILE)).unwrap();
        connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    }

    fn reopen(self) -> Self {
        let Self { folder, search } = self;
        drop(search);
        Self { search: Search::open(folder.path()).unwrap(), folder }
    }
}

#[test]
fn only_complete_appended_lines_are_indexed() {
    let fixture = Fixture::new();
    fixture.write_session("s1", "", &[user_message("a", "first"), tool_output("b", "second")]);
    fixture.append("s1", &lines(&[user_message("c", "third")]));
    assert_eq!(fixture.find_entries("third"), ["c"]);
    let incomplete = user_message("d", "fourth").to_string();
    fixture.append("s1", &incomplete[..20]);
    assert_eq!(fixture.find("fourth"), []);
    let fixture = fixture.reopen();
    fixture.append("s1", &format!("{}\n", &incomplete[20..]));
    assert_eq!(fixture.find_entries("fourth"), ["d"]);
    fixture.append("s1", "junk\n\n{\"type\":\"message\"}\r\n\u{feff}");
    fixture.append("s1", &format!("{}\r\n", user_message("e", "fifth")));
    assert_eq!(fixture.find_entries("fifth"), ["e"]);
    for _ in 0..3 {
        fixture.note("s1", "");
    }
    assert_eq!(fixture.count("documents"), 5, "no entry is indexed twice");
    fixture.note("s1", "A title at last");
    assert_eq!(fixture.find_entries("at last"), ["title"]);
    fixture.note("s1", "Another");
    assert_eq!(fixture.find("at last"), []);
}

#[test]
fn a_replaced_truncated_or_rewritten_file_is_indexed_again() {
    let fixture = Fixture::new();
    fixture.write_session("s1", "", &[user_message("a", "before"), user_message("b", "before too")]);
    // Rewritten in place, and longer than before.
    fixture.write_session(
        "s1",
        "",
        &[user_message("a", "something"), user_message("b", "else"), user_message("c", &"long ".repeat(50))],
    );
    assert_eq!((fixture.find("before").len(), fixture.find("something").len()), (0, 1));
    fixture.write_session("s1", "", &[user_message("a", "short")]);
    assert_eq!((fixture.find("something").len(), fixture.find("short").len()), (0, 1));
    let other = fixture.folder.path().join("other");
    let same_start = std::fs::read(fixture.path("s1")).unwrap();
    std::fs::write(&other, [same_start, lines(&[user_message("b", "renamed")]).into_bytes()].concat())
        .unwrap();
    std::fs::rename(&other, fixture.path("s1")).unwrap();
    let fixture = fixture.reopen();
    fixture.note("s1", "");
    assert_eq!((fixture.find("short").len(), fixture.find("renamed").len()), (1, 1));
    assert_eq!((fixture.count("documents"), fixture.count("sessions")), (2, 1));
}

#[test]
fn deleted_sessions_are_no_longer_found() {
    let fixture = Fixture::new();
    for session in ["s1", "s2", "s3", "s4"] {
        let entries: Vec<_> = (0..450).map(|number| user_message(&format!("e{number}"), "a buoy")).collect();
        fixture.write_session(session, "Buoys", &entries);
    }
    fixture.search.forget("s1");
    fixture.search.forget("unknown");
    std::fs::remove_file(fixture.path("s2")).unwrap();
    fixture.note("s2", "Buoys");
    assert!(fixture.find("buoy").iter().all(|(session, _)| ["s3", "s4"].contains(&session.as_str())));
    // One file is deleted while the server is not running.
    std::fs::remove_file(fixture.path("s3")).unwrap();
    let fixture = fixture.reopen();
    fixture.search.wait_until_idle();
    assert!(fixture.find("buoy").iter().all(|(session, _)| session == "s4"));
    assert_eq!((fixture.count("documents"), fixture.count("sessions")), (450, 1));
    // A new session with the same id is found.
    fixture.write_session("s1", "", &[user_message("a", "a buoy again")]);
    assert_eq!(fixture.find_entries("again"), ["a"]);
}

#[test]
fn an_index_that_is_broken_or_of_another_version_is_rebuilt() {
    let damages: [fn(&std::path::Path); 4] = [
        |path| std::fs::write(path, "no database at all, and no reason to stop").unwrap(),
        |path| std::fs::write(path, [b"SQLite format 3\0".to_vec(), vec![7; 9_000]].concat()).unwrap(),
        |path| Connection::open(path).unwrap().pragma_update(None, "user_version", 77).unwrap(),
        |path| Connection::open(path).unwrap().execute_batch("DROP TABLE documents").unwrap(),
    ];
    for damage in damages {
        let fixture = Fixture::new();
        fixture.write_session("s1", "", &[user_message("a", "a lighthouse")]);
        let Fixture { folder, search } = fixture;
        drop(search);
        damage(&folder.path().join(FILE));
        let fixture = Fixture { search: Search::open(folder.path()).unwrap(), folder };
        fixture.note("s1", "");
        assert_eq!(fixture.find_entries("lighthouse"), ["a"]);
    }
}

#[test]
fn damage_found_later_disables_search_until_the_next_start() {
    let fixture = Fixture::new();
    let entries: Vec<_> =
        (0..2_000).map(|number| user_message(&format!("e{number}"), &format!("text {number}"))).collect();
    fixture.write_session("s1", "", &entries);
    let Fixture { folder, search } = fixture;
    drop(search);
    let path = folder.path().join(FILE);
    let mut bytes = std::fs::read(&path).unwrap();
    let length = bytes.len();
    bytes[length / 4..length * 3 / 4].fill(0x5a);
    std::fs::write(&path, bytes).unwrap();
    let search = Search::open(folder.path()).unwrap();
    let fixture = Fixture { search, folder };
    let _ = fixture.find("text");
    fixture.write_session("s1", "", &[user_message("a", "anew")]);
    let fixture = fixture.reopen();
    fixture.note("s1", "");
    assert_eq!(fixture.find_entries("anew"), ["a"]);
}

#[test]
fn only_the_owner_can_read_the_index() {
    let fixture = Fixture::new();
    fixture.write_session("s1", "", &[user_message("a", "text")]);
    for suffix in ["", "-wal", "-shm"] {
        let metadata = std::fs::metadata(fixture.folder.path().join(format!("{FILE}{suffix}"))).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600, "{suffix}");
    }
    database::delete(&fixture.folder.path().join(FILE));
    assert!(!fixture.folder.path().join(FILE).exists());
}

#[test]
fn many_sessions_are_indexed_during_searches() {
    let fixture = Fixture::new();
    for number in 0..150 {
        let entries = [user_message("a", &format!("common and own{number:03}")), tool_output("b", "output")];
        let header = json!({"type": "session", "id": number});
        let path = fixture.path(&format!("s{number}"));
        std::fs::write(path, format!("{header}\n{}", lines(&entries))).unwrap();
    }
    for _ in 0..3 {
        for number in 0..150 {
            fixture.search.note(&format!("s{number}"), &fixture.path(&format!("s{number}")), "");
        }
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| (0..20).for_each(|_| drop(fixture.search.find("common"))));
            }
        });
    }
    fixture.search.wait_until_idle();
    assert_eq!(fixture.count("documents"), 300);
    for number in [0, 77, 149] {
        assert_eq!(fixture.find(&format!("own{number:03}")), [(format!("s{number}"), "a".to_owned())]);
    }
}
