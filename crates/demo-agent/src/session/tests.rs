use std::fs;

use super::*;
use crate::protocol::Content;

fn user(text: &str) -> Message {
    Message::User { content: vec![Content::text(text)], timestamp: 1 }
}

fn lines(path: &Path) -> Vec<Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_first_user_message_creates_the_file() {
    let agent_folder = tempfile::tempdir().unwrap();
    let cwd = Path::new("/home/user/project");
    let mut session = SessionFile::open(agent_folder.path(), cwd, "one").unwrap();
    session.append(&EntryBody::ModelChange { provider: "demo", model_id: "demo-guide" });
    assert!(!session.path().exists());
    assert!(session.path().starts_with(agent_folder.path().join("sessions/--home-user-project--")));

    session.append(&EntryBody::Message { message: &user("Hi") });
    let stored = lines(session.path());
    assert_eq!(stored.len(), 3);
    assert_eq!(stored[0]["type"], "session");
    assert_eq!(stored[0]["version"], 3);
    assert_eq!(stored[0]["cwd"], "/home/user/project");
    assert_eq!(stored[1]["parentId"], Value::Null);
    assert_eq!(stored[2]["parentId"], stored[1]["id"]);
    let raw = fs::read_to_string(session.path()).unwrap();
    assert!(raw.starts_with(r#"{"type":"session","version":3,"id":"one","timestamp":""#), "{raw}");
}

#[test]
fn an_existing_session_continues_where_it_ended() {
    let agent_folder = tempfile::tempdir().unwrap();
    let cwd = Path::new("/work");
    let mut first = SessionFile::open(agent_folder.path(), cwd, "one").unwrap();
    first.append(&EntryBody::Message { message: &user("Hi") });
    let leaf = first.leaf().unwrap().to_owned();
    let path = first.path().to_owned();
    drop(first);

    let mut second = SessionFile::open(agent_folder.path(), cwd, "one").unwrap();
    assert_eq!(second.path(), path);
    second.append(&EntryBody::Message { message: &user("Again") });
    let stored = lines(&path);
    assert_eq!(stored.len(), 3);
    assert_eq!(stored[2]["parentId"], leaf);
}

#[test]
fn a_line_cut_off_by_a_kill_does_not_damage_others() {
    let agent_folder = tempfile::tempdir().unwrap();
    let cwd = Path::new("/work");
    let mut first = SessionFile::open(agent_folder.path(), cwd, "one").unwrap();
    first.append(&EntryBody::Message { message: &user("Hi") });
    let path = first.path().to_owned();
    drop(first);
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(br#"{"type":"message","id":"torn"#).unwrap();

    let mut second = SessionFile::open(agent_folder.path(), cwd, "one").unwrap();
    assert_eq!(second.entries().len(), 1);
    second.append(&EntryBody::Message { message: &user("Again") });
    let third = SessionFile::open(agent_folder.path(), cwd, "one").unwrap();
    assert_eq!(third.entries().len(), 2);
    assert_eq!(third.entries()[1]["parentId"], third.entries()[0]["id"]);
}

#[test]
fn a_recorded_entry_is_stored_once() {
    let agent_folder = tempfile::tempdir().unwrap();
    let mut session = SessionFile::open(agent_folder.path(), Path::new("/work"), "one").unwrap();
    let entry = r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","cost":0.00045999999999999996}}"#;
    session.append_recorded(entry);
    session.append_recorded(entry);
    let stored = fs::read_to_string(session.path()).unwrap();
    assert_eq!(stored.lines().skip(1).collect::<Vec<_>>(), [entry], "the entry is copied byte for byte");
}

#[test]
fn timestamps_have_the_format_of_pi() {
    let iso = iso_time();
    assert_eq!(iso.len(), "2026-11-16T02:17:21.345Z".len());
    assert!(iso.ends_with('Z'));
    assert_eq!(file_time("2026-11-16T02:17:21.345Z"), "2026-11-16T02-17-21-345Z");
}
