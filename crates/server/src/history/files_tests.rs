use std::io::Write;

use pilothouse_core::SessionState;
use serde_json::{Value, json};

use super::*;

struct AgentFolder {
    folder: tempfile::TempDir,
    files: SessionFiles,
}

impl AgentFolder {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), files: SessionFiles::default() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("sessions/--p--").join(name)
    }

    fn write(&self, name: &str, id: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let header = json!({"type": "session", "version": 3, "id": id, "timestamp": "2026-01-01T00:00:00Z", "cwd": "/p"});
        std::fs::write(path, format!("{header}\n{}\n", user_message("a", None, text))).unwrap();
    }

    fn append(&self, name: &str, entry: &str) {
        let mut file = std::fs::File::options().append(true).open(self.path(name)).unwrap();
        file.write_all(entry.as_bytes()).unwrap();
    }

    fn rescan(&mut self, rescan: Rescan<'_>) -> Vec<StoredSession> {
        let root = self.folder.path().join("sessions");
        self.files.rescan(&root, rescan)
    }

    fn titles(&mut self) -> Vec<String> {
        let mut titles: Vec<String> = self.files.sessions().map(|session| session.title.clone()).collect();
        titles.sort();
        titles
    }
}

fn user_message(id: &str, parent: Option<&str>, text: &str) -> Value {
    json!({"type": "message", "id": id, "parentId": parent, "message": {"role": "user", "content": text}})
}

fn reply(id: &str, parent: &str) -> Value {
    json!({"type": "message", "id": id, "parentId": parent,
        "message": {"role": "assistant", "content": [], "stopReason": "stop", "timestamp": 1_794_795_498_238_u64}})
}

#[test]
fn only_changed_files_are_opened() {
    let mut agent = AgentFolder::new();
    for number in 0..100 {
        agent.write(&format!("{number}.jsonl"), &format!("s{number}"), "Hello");
    }
    assert_eq!(agent.rescan(Rescan::All).len(), 100);
    assert_eq!(agent.files.open_count(), 100);
    for rescan in [Rescan::All, Rescan::Missed, Rescan::Paths(&[])] {
        assert_eq!(agent.rescan(rescan), []);
    }
    assert_eq!(agent.files.open_count(), 100, "nothing has changed");

    agent.append("7.jsonl", &format!("{}\n", reply("b", "a")));
    let changed = agent.rescan(Rescan::All);
    assert_eq!(changed.len(), 1);
    assert_eq!((changed[0].state, changed[0].modified), (SessionState::Completed, 1_794_795_498_238));
    assert_eq!(agent.files.open_count(), 101);

    agent.append("8.jsonl", &format!("{}\n", reply("b", "a")));
    let paths =
        [agent.path("8.jsonl"), agent.path("9.jsonl"), agent.path("notes.txt"), PathBuf::from("/etc/passwd")];
    assert_eq!(agent.rescan(Rescan::Paths(&paths)).len(), 1);
    assert_eq!(agent.files.open_count(), 102);
}

#[test]
fn new_and_deleted_files_are_found_without_a_watcher() {
    let mut agent = AgentFolder::new();
    assert_eq!(agent.rescan(Rescan::Missed), []);
    agent.write("a.jsonl", "s1", "Hello");
    std::fs::write(agent.path("junk.jsonl"), "not a session").unwrap();
    assert_eq!(agent.rescan(Rescan::Missed).len(), 1);
    agent.write("b.jsonl", "s2", "Again");
    assert_eq!(agent.rescan(Rescan::Missed).len(), 1);
    assert_eq!(agent.titles(), ["Again", "Hello"]);
    std::fs::remove_file(agent.path("a.jsonl")).unwrap();
    assert_eq!(agent.rescan(Rescan::Missed), []);
    assert!(!agent.files.contains(&agent.path("a.jsonl")) && agent.files.contains(&agent.path("b.jsonl")));
    std::fs::remove_dir_all(agent.folder.path().join("sessions")).unwrap();
    assert_eq!(agent.rescan(Rescan::Missed), []);
    assert_eq!(agent.titles(), Vec::<String>::new());
}

#[test]
fn a_reported_path_may_be_a_folder_or_a_deleted_file() {
    let mut agent = AgentFolder::new();
    agent.write("a.jsonl", "s1", "Hello");
    let folder = agent.path("");
    assert_eq!(agent.rescan(Rescan::Paths(&[folder])).len(), 1);
    let path = agent.path("a.jsonl");
    std::fs::remove_file(&path).unwrap();
    agent.rescan(Rescan::Paths(&[path]));
    assert_eq!(agent.titles(), Vec::<String>::new());
}

#[test]
fn a_rewritten_file_is_read_from_the_start() {
    let mut agent = AgentFolder::new();
    agent.write("a.jsonl", "s1", "Hello");
    agent.rescan(Rescan::All);
    agent.write("a.jsonl", "s1", "Hello, changed and longer");
    assert_eq!(agent.rescan(Rescan::All)[0].title, "Hello, changed and longer");
    agent.write("a.jsonl", "s1", "Short");
    assert_eq!(agent.rescan(Rescan::All)[0].title, "Short");
    agent.write("other", "s1", "Other");
    std::fs::rename(agent.path("other"), agent.path("a.jsonl")).unwrap();
    assert_eq!(agent.rescan(Rescan::All)[0].title, "Other");
}

#[test]
fn an_incomplete_line_counts_once_it_is_complete() {
    let mut agent = AgentFolder::new();
    agent.write("a.jsonl", "s1", "Hello");
    let before = agent.rescan(Rescan::All);
    let line = reply("b", "a").to_string();
    let (entry, rest) = line.split_at(40);
    agent.append("a.jsonl", entry);
    assert_eq!(agent.rescan(Rescan::All), before, "reported because it was written to, with unchanged data");
    assert_eq!(agent.rescan(Rescan::All), []);
    agent.append("a.jsonl", rest);
    assert_eq!(agent.rescan(Rescan::All)[0].state, SessionState::Completed, "a line break is not needed");
    agent.append(
        "a.jsonl",
        &format!("\n{}\n", json!({"type": "session_info", "id": "c", "parentId": "b", "name": "Named"})),
    );
    let changed = agent.rescan(Rescan::All);
    assert_eq!((changed[0].title.as_str(), changed[0].state), ("Named", SessionState::Completed));
}

#[test]
fn a_branch_from_an_older_entry_becomes_active() {
    let mut agent = AgentFolder::new();
    agent.write("a.jsonl", "s1", "Hello");
    agent.append("a.jsonl", &format!("{}\n", reply("b", "a")));
    assert_eq!(agent.rescan(Rescan::All)[0].state, SessionState::Completed);
    let label = json!({"type": "label", "id": "c", "parentId": "a"});
    agent.append("a.jsonl", &format!("{label}\n"));
    assert_eq!(agent.rescan(Rescan::All)[0].state, SessionState::Paused);
}

#[test]
fn a_folder_that_does_not_exist_has_no_sessions() {
    assert_eq!(SessionFiles::default().list(Path::new("/nonexistent/agent")), []);
}
