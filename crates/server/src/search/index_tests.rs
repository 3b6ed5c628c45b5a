//! Files that grow, are replaced and go, and an index that is not as it should be.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use rusqlite::Connection;
use serde_json::json;

use super::query_tests::{Stage, lines, printed, said};
use super::{FILE, Search, database};

impl Stage {
    fn append(&self, session: &str, text: &str) {
        let mut file = OpenOptions::new().append(true).open(self.path(session)).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        self.note(session, "");
    }

    /// What is in the tables, read past the product.
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
fn only_what_was_added_is_read_and_only_whole_lines() {
    let stage = Stage::new();
    stage.session("s1", "", &[said("a", "first"), printed("b", "second")]);
    stage.append("s1", &lines(&[said("c", "third")]));
    assert_eq!(stage.entries("third"), ["c"]);
    let torn = said("d", "fourth").to_string();
    stage.append("s1", &torn[..20]);
    assert_eq!(stage.found("fourth"), []);
    let stage = stage.reopen();
    stage.append("s1", &format!("{}\n", &torn[20..]));
    assert_eq!(stage.entries("fourth"), ["d"]);
    stage.append("s1", "junk\n\n{\"type\":\"message\"}\r\n\u{feff}");
    stage.append("s1", &format!("{}\r\n", said("e", "fifth")));
    assert_eq!(stage.entries("fifth"), ["e"]);
    for _ in 0..3 {
        stage.note("s1", "");
    }
    assert_eq!(stage.count("documents"), 5, "nothing twice");
    stage.note("s1", "A title at last");
    assert_eq!(stage.entries("at last"), ["title"]);
    stage.note("s1", "Another");
    assert_eq!(stage.found("at last"), []);
}

#[test]
fn a_file_that_was_replaced_shrunk_or_written_anew_is_indexed_anew() {
    let stage = Stage::new();
    stage.session("s1", "", &[said("a", "before"), said("b", "before too")]);
    // In place, and longer than it was.
    stage.session("s1", "", &[said("a", "something"), said("b", "else"), said("c", &"long ".repeat(50))]);
    assert_eq!((stage.found("before").len(), stage.found("something").len()), (0, 1));
    stage.session("s1", "", &[said("a", "short")]);
    assert_eq!((stage.found("something").len(), stage.found("short").len()), (0, 1));
    let other = stage.folder.path().join("other");
    let same_start = std::fs::read(stage.path("s1")).unwrap();
    std::fs::write(&other, [same_start, lines(&[said("b", "renamed")]).into_bytes()].concat()).unwrap();
    std::fs::rename(&other, stage.path("s1")).unwrap();
    let stage = stage.reopen();
    stage.note("s1", "");
    assert_eq!((stage.found("short").len(), stage.found("renamed").len()), (1, 1));
    assert_eq!((stage.count("documents"), stage.count("sessions")), (2, 1));
}

#[test]
fn what_is_gone_is_not_found_any_more() {
    let stage = Stage::new();
    for session in ["s1", "s2", "s3", "s4"] {
        let entries: Vec<_> = (0..450).map(|number| said(&format!("e{number}"), "a buoy")).collect();
        stage.session(session, "Buoys", &entries);
    }
    stage.search.forget("s1");
    stage.search.forget("unknown");
    std::fs::remove_file(stage.path("s2")).unwrap();
    stage.note("s2", "Buoys");
    assert!(stage.found("buoy").iter().all(|(session, _)| ["s3", "s4"].contains(&session.as_str())));
    // One goes while no server is there.
    std::fs::remove_file(stage.path("s3")).unwrap();
    let stage = stage.reopen();
    stage.search.wait_until_idle();
    assert!(stage.found("buoy").iter().all(|(session, _)| session == "s4"));
    assert_eq!((stage.count("documents"), stage.count("sessions")), (450, 1));
    // A session that comes back under the same id is found again.
    stage.session("s1", "", &[said("a", "a buoy again")]);
    assert_eq!(stage.entries("again"), ["a"]);
}

#[test]
fn an_index_that_is_broken_or_of_another_version_is_made_anew() {
    let damages: [fn(&std::path::Path); 4] = [
        |path| std::fs::write(path, "no database at all, and no reason to stop").unwrap(),
        |path| std::fs::write(path, [b"SQLite format 3\0".to_vec(), vec![7; 9_000]].concat()).unwrap(),
        |path| Connection::open(path).unwrap().pragma_update(None, "user_version", 77).unwrap(),
        |path| Connection::open(path).unwrap().execute_batch("DROP TABLE documents").unwrap(),
    ];
    for damage in damages {
        let stage = Stage::new();
        stage.session("s1", "", &[said("a", "a lighthouse")]);
        let Stage { folder, search } = stage;
        drop(search);
        damage(&folder.path().join(FILE));
        let stage = Stage { search: Search::open(folder.path()).unwrap(), folder };
        stage.note("s1", "");
        assert_eq!(stage.entries("lighthouse"), ["a"]);
    }
}

#[test]
fn damage_that_shows_late_costs_the_search_and_nothing_else() {
    let stage = Stage::new();
    let entries: Vec<_> =
        (0..2_000).map(|number| said(&format!("e{number}"), &format!("text {number}"))).collect();
    stage.session("s1", "", &entries);
    let Stage { folder, search } = stage;
    drop(search);
    let path = folder.path().join(FILE);
    let mut bytes = std::fs::read(&path).unwrap();
    let length = bytes.len();
    bytes[length / 4..length * 3 / 4].fill(0x5a);
    std::fs::write(&path, bytes).unwrap();
    let search = Search::open(folder.path()).unwrap();
    let stage = Stage { search, folder };
    let _ = stage.found("text");
    stage.session("s1", "", &[said("a", "anew")]);
    let stage = stage.reopen();
    stage.note("s1", "");
    assert_eq!(stage.entries("anew"), ["a"]);
}

#[test]
fn only_the_owner_can_read_it() {
    let stage = Stage::new();
    stage.session("s1", "", &[said("a", "text")]);
    for suffix in ["", "-wal", "-shm"] {
        let metadata = std::fs::metadata(stage.folder.path().join(format!("{FILE}{suffix}"))).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600, "{suffix}");
    }
    database::throw_away(&stage.folder.path().join(FILE));
    assert!(!stage.folder.path().join(FILE).exists());
}

#[test]
fn many_sessions_at_once_while_somebody_searches() {
    let stage = Stage::new();
    for number in 0..150 {
        let entries = [said("a", &format!("common and own{number:03}")), printed("b", "output")];
        let header = json!({"type": "session", "id": number});
        let path = stage.path(&format!("s{number}"));
        std::fs::write(path, format!("{header}\n{}", lines(&entries))).unwrap();
    }
    for _ in 0..3 {
        for number in 0..150 {
            stage.search.note(&format!("s{number}"), &stage.path(&format!("s{number}")), "");
        }
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| (0..20).for_each(|_| drop(stage.search.find("common"))));
            }
        });
    }
    stage.search.wait_until_idle();
    assert_eq!(stage.count("documents"), 300);
    for number in [0, 77, 149] {
        assert_eq!(stage.found(&format!("own{number:03}")), [(format!("s{number}"), "a".to_owned())]);
    }
}
