//! Damaged databases: what can be read is kept, and a notice says what was not.

use std::os::unix::fs::FileExt;
use std::path::Path;

use rusqlite::Connection;

use super::store_tests::{accept, prompt};
use super::{DeviceRecord, FILE, SessionRecord, Store, Write};

const PAGE: usize = 4_096;

fn device(number: usize) -> DeviceRecord {
    DeviceRecord { id: format!("device-{number:03}"), hash: vec![7; 32], ..DeviceRecord::default() }
}

fn session(number: usize) -> SessionRecord {
    let draft = if number.is_multiple_of(10) { format!("draft {number} ").repeat(30) } else { String::new() };
    SessionRecord {
        id: format!("0199-{number:04}"),
        agent: "pi".to_owned(),
        cwd: "/home/ada/a/folder/with/a/long/name".to_owned(),
        pinned: number.is_multiple_of(2),
        draft,
        ..SessionRecord::default()
    }
}

/// Fills a store: 3 devices, 200 sessions with 100 pins and 20 drafts, 60 prompts.
fn fill(folder: &Path) {
    let store = Store::open(folder).unwrap();
    // As the server does after it has opened the store.
    std::fs::write(folder.join(crate::search::FILE), "").unwrap();
    let mut writes: Vec<Write> = (0..3).map(|number| Write::AddDevice(device(number))).collect();
    writes.extend((0..200).map(|number| Write::AddSession(session(number))));
    store.write(writes).wait().unwrap();
    for number in 0..60 {
        store
            .write(accept("0199-0001", &prompt(&format!("c{number}"), &"text ".repeat(150))))
            .wait()
            .unwrap();
    }
}

/// The one notice of the store.
fn notice(store: &Store) -> String {
    let notices = store.notices();
    assert_eq!(notices.len(), 1, "{notices:?}");
    notices[0].clone()
}

fn aside(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.contains("broken")).collect()
}

/// The number of the page at which a table begins.
fn root_page(path: &Path, table: &str) -> u64 {
    let query = "SELECT rootpage FROM sqlite_schema WHERE name = ?";
    Connection::open(path)
        .unwrap()
        .query_row(query, [table], |row| row.get::<_, i64>(0))
        .unwrap()
        .cast_unsigned()
}

/// The page with rows that contains all of these texts.
fn page_with(path: &Path, parts: &[&str]) -> u64 {
    let bytes = std::fs::read(path).unwrap();
    let is_leaf = |page: &[u8]| matches!(page[0], 0x0a | 0x0d);
    let has = |page: &[u8], part: &str| page.windows(part.len()).any(|window| window == part.as_bytes());
    let found = bytes.chunks(PAGE).position(|page| is_leaf(page) && parts.iter().all(|part| has(page, part)));
    found.unwrap() as u64 + 1
}

fn overwrite_page(path: &Path, page: u64) {
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.write_all_at(&[0x5a; PAGE], (page - 1) * PAGE as u64).unwrap();
}

#[test]
fn a_damaged_page_costs_only_what_was_on_it() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let path = folder.path().join(FILE);
    overwrite_page(&path, page_with(&path, &["draft 100 draft"]));
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(store.devices().len(), 3, "nobody is locked out");
    assert_eq!(store.prompts("0199-0001").len(), 60);
    let sessions = store.sessions();
    assert!((160..200).contains(&sessions.len()), "{}", sessions.len());
    for number in [0, 60, 140, 199] {
        assert!(sessions.contains(&session(number)), "session {number}");
    }
    let pins = sessions.iter().filter(|session| session.pinned).count();
    let drafts = sessions.iter().filter(|session| !session.draft.is_empty()).count();
    let notice = notice(&store);
    let kept = format!("3 devices, {pins} pins, {drafts} drafts and 60 unsent messages were kept.");
    assert!(notice.contains(&kept), "{notice}");
    assert!(notice.contains("Some pins and drafts may be missing."), "{notice}");
    assert!(notice.contains("could not be read: archived sessions and read marks."), "{notice}");
    assert!(notice.contains("Conversations have files of their own and are not affected."), "{notice}");
    let moved = aside(folder.path());
    assert_eq!(moved.len(), 1, "{moved:?}");
    assert!(notice.contains(&moved[0]), "{notice}");
}

#[test]
fn a_table_whose_rows_have_numbers_is_read_behind_a_damaged_page() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let path = folder.path().join(FILE);
    let page = |client_id: &str| page_with(&path, &[client_id, "text text"]);
    let (second, fourth) = (page("0199-0001c20"), page("0199-0001c40"));
    overwrite_page(&path, second);
    overwrite_page(&path, fourth);
    let store = Store::open(folder.path()).unwrap();
    let kept = store.prompts("0199-0001").len();
    assert!((45..60).contains(&kept), "{kept}");
    assert_eq!(store.sessions().len() + store.devices().len(), 203);
    assert!(notice(&store).contains("Some unsent messages may be missing."));
}

#[test]
fn an_unreadable_table_does_not_cost_the_others() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let path = folder.path().join(FILE);
    overwrite_page(&path, root_page(&path, "sessions"));
    let store = Store::open(folder.path()).unwrap();
    assert_eq!((store.devices().len(), store.prompts("0199-0001").len(), store.sessions().len()), (3, 60, 0));
    let notice = notice(&store);
    assert!(notice.contains("3 devices and 60 unsent messages were kept."), "{notice}");
    assert!(
        notice.contains("These could not be read: pins, archived sessions, read marks and drafts."),
        "{notice}"
    );
}

/// How a database is damaged, and the words for it.
type Damage = (&'static str, fn(&Path));

#[test]
fn files_that_are_no_database_at_all_cost_everything_and_say_so() {
    let break_it: [Damage; 4] = [
        ("was damaged", |path| std::fs::write(path, "garbage".repeat(2_000)).unwrap()),
        ("was damaged", |path| {
            std::fs::File::options().write(true).open(path).unwrap().set_len(PAGE as u64 / 2).unwrap();
        }),
        ("was empty", |path| std::fs::write(path, "").unwrap()),
        ("was replaced by a folder", |path| {
            std::fs::remove_file(path).unwrap();
            std::fs::create_dir(path).unwrap();
        }),
    ];
    for (words, break_it) in break_it {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path());
        break_it(&folder.path().join(FILE));
        let store = Store::open(folder.path()).unwrap();
        assert_eq!(store.sessions(), [], "{words}");
        store.write(vec![Write::AddSession(session(1))]).wait().unwrap();
        let notice = notice(&store);
        assert!(notice.contains(&format!("database {words} and was repaired")), "{notice}");
        assert!(notice.contains("could not be read: devices, pins,"), "{notice}");
        assert!(notice.contains("needs a new link"), "{notice}");
        assert_eq!(aside(folder.path()).len(), 1, "{words}");
    }
}

#[test]
fn a_file_that_was_cut_off_keeps_its_beginning() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let path = folder.path().join(FILE);
    let length = std::fs::metadata(&path).unwrap().len();
    std::fs::File::options().write(true).open(&path).unwrap().set_len(length / 2 + 100).unwrap();
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(store.devices().len(), 3, "nobody is locked out");
    assert!(!store.sessions().is_empty());
    assert!(notice(&store).contains("3 devices,"));
}

#[test]
fn a_damaged_log_is_noticed_and_what_was_before_it_is_kept() {
    let (folder, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = Store::open(folder.path()).unwrap();
    store.write(vec![Write::AddDevice(device(1))]).wait().unwrap();
    store.write(vec![Write::AddSession(session(2))]).wait().unwrap();
    store.write(vec![Write::AddSession(session(4))]).wait().unwrap();
    // The files of a server that was killed.
    for suffix in ["", "-wal", "-shm"] {
        let name = format!("{FILE}{suffix}");
        std::fs::copy(folder.path().join(&name), copy.path().join(&name)).unwrap();
    }
    let log = copy.path().join(format!("{FILE}-wal"));
    let mut bytes = std::fs::read(&log).unwrap();
    let at = bytes.windows(9).rposition(|window| window == b"0199-0002").unwrap();
    bytes[at] ^= 1;
    std::fs::write(&log, bytes).unwrap();
    let store = Store::open(copy.path()).unwrap();
    assert_eq!(store.devices().len(), 1);
    assert!(store.sessions().len() < 2);
    let notice = notice(&store);
    assert!(notice.contains("had a damaged log"), "{notice}");
    assert!(notice.contains("The last changes before the server ended may be missing."), "{notice}");
    assert!(!notice.contains("Nothing was lost"), "{notice}");
    assert_eq!(aside(copy.path()).len(), 2, "the log is kept, too");
}

#[test]
fn a_notice_stays_until_it_is_dismissed() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let path = folder.path().join(FILE);
    overwrite_page(&path, root_page(&path, "sessions"));
    drop(Store::open(folder.path()).unwrap());
    let store = Store::open(folder.path()).unwrap();
    notice(&store);
    store.write(vec![Write::DismissNotices]).wait().unwrap();
    assert_eq!(store.notices(), Vec::<String>::new());
    drop(store);
    assert_eq!(Store::open(folder.path()).unwrap().notices(), Vec::<String>::new());
    assert_eq!(aside(folder.path()).len(), 1);
}

#[test]
fn a_repair_that_was_interrupted_is_completed() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let path = folder.path().join(FILE);
    std::fs::rename(&path, folder.path().join("store.db.new")).unwrap();
    assert_eq!(Store::open(folder.path()).unwrap().devices().len(), 3);
    // One that was interrupted earlier starts again.
    std::fs::write(folder.path().join("store.db.new"), "half").unwrap();
    overwrite_page(&path, root_page(&path, "sessions"));
    assert_eq!(Store::open(folder.path()).unwrap().devices().len(), 3);
}

#[test]
fn damage_that_is_found_while_running_stops_all_writes_and_the_next_start_repairs() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let path = folder.path().join(FILE);
    let store = Store::open(folder.path()).unwrap();
    let page = root_page(&path, "sessions");
    overwrite_page(&path, page);
    // Another connection's write makes the server's connections forget what they know of the file.
    let other = Connection::open(&path).unwrap();
    other.execute_batch(&format!("PRAGMA user_version = {}", super::database::MIGRATIONS.len())).unwrap();
    drop(other);
    assert_eq!(store.sessions(), [], "read after the damage");
    let error = store.write(vec![Write::AddDevice(device(9))]).wait().unwrap_err().to_string();
    assert!(error.contains("the database is damaged. Restart Pilothouse"), "{error}");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut problem = store.problem();
    runtime.block_on(problem.wait_for(Option::is_some)).unwrap();
    drop(store);
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(store.devices().len(), 3);
    assert!(notice(&store).contains("was damaged"));
    assert!(!folder.path().join("store.db.damaged").exists());
}

#[test]
fn a_marked_database_is_repaired_even_if_its_check_finds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    std::fs::write(folder.path().join("store.db.damaged"), "").unwrap();
    let store = Store::open(folder.path()).unwrap();
    let notice = notice(&store);
    assert!(
        notice.contains("3 devices, 100 pins, 20 drafts and 60 unsent messages were kept. Nothing was lost."),
        "{notice}"
    );
}

/// What SQLite would go on writing is not acknowledged.
#[test]
fn nothing_is_acknowledged_without_the_folder_and_it_heals_when_the_same_one_returns() {
    let root = tempfile::tempdir().unwrap();
    let (folder, moved) = (root.path().join("data"), root.path().join("moved"));
    std::fs::create_dir(&folder).unwrap();
    let store = Store::open(&folder).unwrap();
    let pin = |number| vec![Write::AddSession(session(number))];
    store.write(pin(1)).wait().unwrap();
    std::fs::rename(&folder, &moved).unwrap();
    let error = store.write(pin(2)).wait().unwrap_err().to_string();
    assert!(error.contains("was moved or deleted"), "{error}");
    std::fs::create_dir(&folder).unwrap();
    let other = Store::open(&folder).unwrap();
    other.write(pin(3)).wait().unwrap();
    let error = store.write(pin(4)).wait().unwrap_err().to_string();
    assert!(error.contains("was replaced by another one"), "{error}");
    drop(other);
    std::fs::rename(&folder, root.path().join("other")).unwrap();
    std::fs::rename(&moved, &folder).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut problem = store.problem();
    runtime.block_on(problem.wait_for(Option::is_none)).unwrap();
    store.write(pin(5)).wait().unwrap();
    let ids = |store: &Store| store.sessions().into_iter().map(|session| session.id).collect::<Vec<_>>();
    assert_eq!(ids(&store), ["0199-0001", "0199-0005"]);
    drop(store);
    assert_eq!(ids(&Store::open(&root.path().join("other")).unwrap()), ["0199-0003"]);
}

#[test]
fn closing_a_store_whose_folder_was_replaced_leaves_the_new_one_alone() {
    let root = tempfile::tempdir().unwrap();
    let (folder, moved) = (root.path().join("data"), root.path().join("moved"));
    std::fs::create_dir(&folder).unwrap();
    let store = Store::open(&folder).unwrap();
    store.write(vec![Write::AddSession(session(1))]).wait().unwrap();
    std::fs::rename(&folder, &moved).unwrap();
    std::fs::create_dir(&folder).unwrap();
    let other = Store::open(&folder).unwrap();
    other.write(vec![Write::AddSession(session(3))]).wait().unwrap();
    drop(store);
    assert!(folder.join("store.db-wal").exists(), "the log of the new database was deleted");
    assert_eq!(other.sessions().len(), 1);
}
