use super::*;
use serde_json::json;

fn file(entries: &[Value]) -> Vec<u8> {
    let header = json!({"type": "session", "version": 3, "id": "s1", "cwd": "/project"});
    let lines: Vec<String> = std::iter::once(&header).chain(entries).map(Value::to_string).collect();
    lines.join("\n").into_bytes()
}

fn user(id: &str, parent: &str, text: &str) -> Value {
    json!({"type": "message", "id": id, "parentId": parent, "message": {"role": "user", "content": text}})
}

fn texts(history: &SessionHistory) -> Vec<String> {
    let texts = history.messages.iter().map(|message| match message {
        Message::User { content, .. } => content.text(),
        other => panic!("{other:?}"),
    });
    texts.collect()
}

#[test]
fn only_the_branch_of_the_last_entry_is_the_conversation() {
    let entries = [user("a", "", "one"), user("b", "a", "left"), user("c", "a", "right")];
    let history = SessionHistory::parse(&file(&entries)).unwrap();
    assert_eq!(texts(&history), ["one", "right"]);
    assert_eq!((history.id.as_str(), history.cwd.as_str()), ("s1", "/project"));
    assert_eq!(history.title(), "one");
}

#[test]
fn entries_without_an_id_keep_their_position() {
    let without_id = |text: &str| json!({"type": "message", "message": {"role": "user", "content": text}});
    let history = SessionHistory::parse(&file(&[without_id("one"), without_id("two")])).unwrap();
    assert_eq!(texts(&history), ["one", "two"]);
}

#[test]
fn incomplete_and_foreign_lines_are_counted_and_skipped() {
    let mut bytes = file(&[user("a", "", "one"), user("b", "a", "two")]);
    bytes.extend(b"\nnot json\r\n\0\0\n{\"type\":\"message\",\"id\":\"c\",\"par");
    let history = SessionHistory::parse(&bytes).unwrap();
    assert_eq!(texts(&history), ["one", "two"]);
    assert_eq!(history.skipped_lines, 3);
}

#[test]
fn an_entry_that_is_its_own_parent_ends_the_branch() {
    let history = SessionHistory::parse(&file(&[user("a", "a", "one")])).unwrap();
    assert_eq!(texts(&history), ["one"]);
}

#[test]
fn a_file_without_a_session_header_is_rejected() {
    assert_eq!(SessionHistory::parse(b""), None);
    assert_eq!(SessionHistory::parse(b"{\"type\":\"message\"}"), None);
}

#[test]
fn the_last_message_decides_the_resting_state() {
    let state = |entries: &[Value]| SessionHistory::parse(&file(entries)).unwrap().resting_state();
    let reply = |reason: &str| {
        json!({"type": "message", "id": "z", "parentId": "a",
        "message": {"role": "assistant", "content": [], "stopReason": reason}})
    };
    assert_eq!(state(&[]), SessionState::Idle);
    assert_eq!(state(&[user("a", "", "one")]), SessionState::Paused);
    assert_eq!(state(&[user("a", "", "one"), reply("stop")]), SessionState::Completed);
    assert_eq!(state(&[user("a", "", "one"), reply("error")]), SessionState::Error);
    assert_eq!(state(&[user("a", "", "one"), reply("aborted")]), SessionState::Stopped);
}

#[test]
fn a_stop_during_a_tool_call_is_not_an_error() {
    let reply = |error: &str| {
        message(json!({"role": "assistant", "content": [], "stopReason": "error", "errorMessage": error}))
    };
    let stop_reason = |message| match message {
        Message::Assistant { stop_reason, .. } => stop_reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(stop_reason(reply("This operation was aborted")), StopReason::Aborted);
    assert_eq!(stop_reason(reply("429: slow down")), StopReason::Error);
}
