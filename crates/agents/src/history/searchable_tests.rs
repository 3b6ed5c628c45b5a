use std::collections::BTreeMap;
use std::path::Path;

use super::*;
use serde_json::json;

fn extract(entry: Value) -> Option<(Kind, String)> {
    searchable(entry.to_string().as_bytes()).map(|searchable| (searchable.kind, searchable.text))
}

fn extract_message(message: Value) -> Option<(Kind, String)> {
    extract(json!({"type": "message", "id": "e1", "message": message}))
}

#[test]
fn everything_shown_is_searchable() {
    let image = json!({"type": "image", "data": "AAAA", "mimeType": "image/png"});
    assert_eq!(
        extract_message(json!({"role": "user", "content": [{"type": "text", "text": "Look:"}, image]})),
        Some((Kind::User, "Look:".to_owned()))
    );
    let call = json!({"type": "toolCall", "id": "c", "name": "edit",
        "arguments": {"path": "src/a.rs", "edits": [{"old": "one", "new": "two", "count": 3, "all": true}]}});
    let thought = json!({"type": "thinking", "thinking": "Hm."});
    let text = json!({"type": "text", "text": "So be it."});
    let (kind, text) =
        extract_message(json!({"role": "assistant", "content": [thought, text, call]})).unwrap();
    assert_eq!(kind, Kind::Assistant);
    for part in ["Hm.", "So be it.", "edit", "src/a.rs", "one", "two", "3"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("path") && !text.contains("true"), "{text}");
    assert_eq!(extract_message(json!({"role": "assistant", "content": [call]})).unwrap().0, Kind::Tool);
    assert_eq!(
        extract_message(json!({"role": "assistant", "content": [], "errorMessage": "No credit."})),
        Some((Kind::Error, "No credit.".to_owned()))
    );
    assert_eq!(
        extract_message(
            json!({"role": "toolResult", "toolCallId": "c", "toolName": "read", "content": "the output"})
        ),
        Some((Kind::Tool, "the output".to_owned()))
    );
    assert_eq!(
        extract_message(json!({"role": "bashExecution", "command": "ls", "output": "a.txt"})),
        Some((Kind::Bash, "ls\na.txt".to_owned()))
    );
    assert_eq!(
        extract(json!({"type": "compaction", "summary": "So far"})),
        Some((Kind::System, "So far".to_owned()))
    );
    assert_eq!(
        extract(json!({"type": "custom_message", "content": "hi", "display": true})),
        Some((Kind::System, "hi".to_owned()))
    );
}

#[test]
fn hidden_and_invalid_entries_are_not_searchable() {
    for entry in [
        json!({"type": "session", "id": "s"}),
        json!({"type": "model_change", "modelId": "m"}),
        json!({"type": "custom", "data": {"x": "y"}}),
        json!({"type": "custom_message", "content": "hi", "display": false}),
        json!({"type": "message", "message": {"role": "system", "content": "Be good."}}),
        json!({"type": "message", "message": {"role": "user", "content": " \n"}}),
        json!({"type": "message"}),
        json!({"type": "message", "message": [5]}),
        json!([1, 2]),
        json!("text"),
    ] {
        assert_eq!(extract(entry.clone()), None, "{entry}");
    }
    for line in [&b""[..], b"{", b"\xff\xfe", b"{\"type\":\"message\",\"message\":{\"role\":\"user\""] {
        assert_eq!(searchable(line), None);
    }
}

#[test]
fn a_long_text_is_truncated_and_a_nul_becomes_a_space() {
    let long = format!("x{}", "ä".repeat(SEARCHABLE_BYTES));
    let (_, text) = extract_message(json!({"role": "user", "content": long})).unwrap();
    assert_eq!(text.len(), SEARCHABLE_BYTES - 1);
    assert_eq!(extract_message(json!({"role": "user", "content": "a\u{0}b"})).unwrap().1, "a b");
}

/// The total number of searchable entries of each kind in the recorded sessions.
#[test]
fn every_recorded_session_is_searchable() {
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/pi");
    let folders = ["sessions", "v0.73.1/sessions"].map(|folder| recordings.join(folder));
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut sessions = 0;
    for file in
        files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|name| name == "jsonl"))
    {
        let bytes = std::fs::read(&file).unwrap();
        let entries: Vec<Searchable> = bytes.split(|byte| *byte == b'\n').filter_map(searchable).collect();
        assert!(entries.iter().all(|entry| !entry.entry_id.is_empty()), "{}", file.display());
        let messages: Vec<Value> = bytes
            .split(|byte| *byte == b'\n')
            .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
            .filter(|entry| entry["message"]["role"] == "user")
            .filter(|entry| !Content::from_value(entry["message"]["content"].clone()).text().is_empty())
            .collect();
        let users = entries.iter().filter(|entry| entry.kind == Kind::User).count();
        assert_eq!(users, messages.len(), "{}", file.display());
        for entry in entries {
            *counts.entry(entry.kind.name()).or_default() += 1;
        }
        sessions += 1;
    }
    assert!(sessions > 50, "{sessions}");
    let expected =
        [("assistant", 144), ("bash", 9), ("error", 16), ("system", 8), ("tool", 92), ("user", 151)];
    assert_eq!(counts, BTreeMap::from(expected));
}

#[test]
fn an_entry_with_half_a_character_is_searchable() {
    let line = br#"{"type":"message","id":"e1","message":{"role":"user","content":"cut \ud83d here"}}"#;
    assert_eq!(searchable(line).unwrap().text, "cut \u{fffd} here");
}
