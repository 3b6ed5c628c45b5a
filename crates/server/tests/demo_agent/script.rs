//! Replaying recordings with `--script`.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::driver::{TestFolders, event_types, fixture};

struct Record {
    incoming: bool,
    raw: String,
    object: Value,
}

fn read_records(path: &Path) -> Vec<Record> {
    let text = fs::read_to_string(path).unwrap();
    let read = |line: &str| {
        let record: Value = serde_json::from_str(line).unwrap();
        let raw = line.split_once("\"line\":").unwrap().1;
        Record {
            incoming: record["dir"] == "in",
            raw: raw[..raw.len() - 1].to_owned(),
            object: record["line"].clone(),
        }
    };
    text.lines().map(read).collect()
}

/// Sends the recorded input and expects the recorded output byte for byte.
fn replay(name: &str) {
    let path = fixture(name);
    let folders = TestFolders::new();
    let mut demo = folders.start(&["--script-strict", "--script", path.to_str().unwrap()]);
    for record in read_records(&path) {
        if record.incoming {
            if record.object.get("$raw").is_none() {
                demo.send_line(&record.raw);
            }
        } else if record.object.pointer("/data/sessionId").is_some() {
            assert_eq!(demo.read()["data"]["sessionId"], "session-1", "{name}");
        } else {
            let line = String::from_utf8(demo.read_bytes()).unwrap();
            assert_eq!(line, record.raw, "{name}");
        }
    }
}

#[test]
fn every_recording_is_replayed_byte_for_byte() {
    let mut count = 0;
    for folder in [fixture(""), fixture("v0.73.1")] {
        for file in fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "jsonl") {
                replay(path.strip_prefix(fixture("")).unwrap().to_str().unwrap());
                count += 1;
            }
        }
    }
    assert!(count > 50, "found only {count} recordings");
}

#[test]
fn commands_may_have_other_ids_and_texts() {
    let folders = TestFolders::new();
    let script = fixture("plain-text.jsonl");
    let mut demo = folders.start(&["--script", script.to_str().unwrap()]);
    let id = demo.send(json!({"type": "prompt", "message": "Something else", "streamingBehavior": "steer"}));
    let lines = demo.read_until_settled();
    assert_eq!(lines[0]["id"], id);
    assert_eq!(lines[0]["command"], "prompt");
    assert!(event_types(&lines).contains(&"message_end assistant".to_owned()));
}

#[test]
fn queries_outside_the_script_are_answered() {
    let folders = TestFolders::new();
    let script = fixture("abort-mid-stream.jsonl");
    let mut demo = folders.start(&["--script", script.to_str().unwrap()]);
    assert_eq!(demo.request(json!({"type": "get_state"}))["isStreaming"], false);
    assert!(demo.request(json!({"type": "get_commands"}))["commands"].is_array());
    demo.request(json!({"type": "abort"}));
    demo.prompt("Write");
    demo.read_until_delta("that nobody ");
    assert_eq!(demo.request(json!({"type": "get_state"}))["isStreaming"], true);
    demo.request(json!({"type": "clear_queue"}));
    let abort = demo.send(json!({"type": "abort"}));
    assert_eq!(demo.read_until_settled().last().unwrap()["aborted"], true);
    assert_eq!(demo.response(&abort)["success"], true);
    assert_eq!(demo.request(json!({"type": "get_state"}))["isStreaming"], false);
    demo.prompt("Go on");
    demo.read_until_settled();
    let late = demo.prompt("One too many");
    assert_eq!(demo.response(&late)["error"], "Not in the script");
    demo.request(json!({"type": "get_session_stats"}));
}

#[test]
fn recorded_questions_are_answered() {
    let folders = TestFolders::new();
    let script = fixture("extension-ui.jsonl");
    let mut demo = folders.start(&["--script", script.to_str().unwrap()]);
    let id = demo.prompt("/ask");
    for answer in
        [json!({"value": "x"}), json!({"confirmed": false}), json!({"value": "y"}), json!({"value": "z"})]
    {
        let question = demo
            .read_until(|line| line["type"] == "extension_ui_request" && line["method"] != "notify")
            .pop();
        demo.answer(&question.unwrap(), answer);
    }
    assert_eq!(demo.response(&id)["data"]["disposition"], "handled");
}

#[test]
fn replayed_messages_are_stored() {
    let folders = TestFolders::new();
    let script = fixture("plain-text.jsonl");
    let mut demo = folders.start(&["--script", script.to_str().unwrap()]);
    demo.prompt("Hello");
    let announced: Vec<Value> = crate::driver::ended_messages(&demo.read_until_settled());
    assert_eq!(folders.stored_messages(), announced);
    assert_eq!(folders.session_lines()[0]["id"], "session-1");
}

#[test]
fn recorded_entries_are_stored_when_their_messages_end() {
    let folders = TestFolders::new();
    let script = fixture("kill-mid-stream-then-resume.1.jsonl");
    let session = fixture("sessions/kill-mid-stream-then-resume.after-kill.jsonl");
    let recorded: Vec<Value> = fs::read_to_string(&session)
        .unwrap()
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let arguments = ["--script", script.to_str().unwrap(), "--script-session", session.to_str().unwrap()];
    let mut demo = folders.start(&arguments);
    demo.prompt("First question");
    demo.read_until_settled();
    assert_eq!(folders.session_lines()[1..], recorded[..recorded.len() - 1]);
    demo.prompt("Second question");
    demo.read_until(|line| line["type"] == "message_end" && line["message"]["role"] == "user");
    assert_eq!(folders.session_lines()[1..], recorded);
    drop(demo);

    // The second process continues the same file and stores no entry twice.
    let script = fixture("kill-mid-stream-then-resume.2.jsonl");
    let session = fixture("sessions/kill-mid-stream-then-resume.jsonl");
    let arguments = ["--script", script.to_str().unwrap(), "--script-session", session.to_str().unwrap()];
    let mut demo = folders.start(&arguments);
    demo.prompt("Again");
    demo.read_until_settled();
    let all: Vec<Value> = fs::read_to_string(&session)
        .unwrap()
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(folders.session_lines()[1..], all);
}
