//! The session file: its content, when it is written, and resuming it.

use serde_json::{Value, json};

use crate::driver::{TestFolders, ended_messages};

#[test]
fn announced_messages_are_stored() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    let mut announced = Vec::new();
    for prompt in ["Hello", "/tools", "/error retry"] {
        demo.prompt(prompt);
        announced.extend(ended_messages(&demo.read_until_settled()));
    }
    assert_eq!(folders.stored_messages(), announced);

    let entries = folders.session_lines();
    assert_eq!(entries[0]["type"], "session");
    assert_eq!(entries[0]["version"], 3);
    assert_eq!(entries[0]["id"], "session-1");
    let cwd = folders.project.path().canonicalize().unwrap();
    assert_eq!(entries[0]["cwd"], cwd.to_str().unwrap());
    assert_eq!(entries[1]["type"], "model_change");
    assert_eq!(entries[2]["type"], "thinking_level_change");
    assert_eq!(entries[1]["parentId"], Value::Null);
    for pair in entries[1..].windows(2) {
        assert_eq!(pair[1]["parentId"], pair[0]["id"]);
    }
    let edit = entries.iter().find(|entry| entry["type"] == "context_edit").unwrap();
    assert_eq!(edit["targetId"], edit["parentId"]);
}

#[test]
fn the_prompt_is_stored_before_the_reply_is_complete() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    demo.prompt("/wait never");
    demo.read_until_delta("exists");
    let stored = folders.stored_messages();
    assert_eq!(stored.len(), 1);
    assert_eq!(stored[0]["role"], "user");
}

#[test]
fn a_session_without_a_prompt_leaves_no_file() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    demo.request(json!({"type": "get_state"}));
    demo.request(json!({"type": "set_thinking_level", "level": "low"}));
    assert!(!folders.data.path().join("sessions").exists());
}

#[test]
fn a_session_continues_in_a_new_process() {
    let folders = TestFolders::new();
    let mut first = folders.start(&[]);
    first.prompt("Hello");
    first.read_until_settled();
    first.request(json!({"type": "set_session_name", "name": "  Named  "}));
    first.request(json!({"type": "set_model", "provider": "demo", "modelId": "demo-guide-terse"}));
    first.request(json!({"type": "set_thinking_level", "level": "low"}));
    let file = first.request(json!({"type": "get_state"}))["sessionFile"].clone();
    drop(first);

    let mut second = folders.start(&[]);
    let state = second.request(json!({"type": "get_state"}));
    assert_eq!(state["sessionFile"], file);
    assert_eq!(state["sessionId"], "session-1");
    assert_eq!(state["sessionName"], "Named");
    assert_eq!(state["model"]["id"], "demo-guide-terse");
    assert_eq!(state["thinkingLevel"], "low");
    assert_eq!(state["messageCount"], 2);
    let before = folders.session_lines();
    second.prompt("Again");
    second.read_until_settled();
    let after = folders.session_lines();
    assert_eq!(after[..before.len()], before);
    assert_eq!(after[before.len()]["parentId"], before.last().unwrap()["id"]);
    assert_eq!(after.len(), before.len() + 2, "the initial settings are not stored again");

    let entries = second.request(json!({"type": "get_entries", "since": before.last().unwrap()["id"]}));
    assert_eq!(entries["entries"].as_array().unwrap().len(), 2);
    assert_eq!(entries["leafId"], after.last().unwrap()["id"]);
}

#[test]
fn a_session_killed_during_a_reply_continues() {
    let folders = TestFolders::new();
    let mut first = folders.start(&["--fault", "kill@8"]);
    first.prompt("Hello");
    first.wait_for_exit();
    drop(first);
    let mut second = folders.start(&[]);
    second.prompt("Again");
    second.read_until_settled();
    let roles: Vec<Value> = folders.stored_messages().iter().map(|message| message["role"].clone()).collect();
    assert_eq!(roles, ["user", "user", "assistant"]);
}

#[test]
fn counts_and_usage_follow_the_conversation() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    let empty = demo.request(json!({"type": "get_session_stats"}));
    assert_eq!(empty["contextUsage"]["tokens"], 0);
    demo.prompt("/tools");
    demo.read_until_settled();
    let stats = demo.request(json!({"type": "get_session_stats"}));
    assert_eq!(stats["userMessages"], 1);
    assert_eq!(stats["toolCalls"], stats["toolResults"]);
    assert_eq!(stats["contextUsage"]["contextWindow"], 200_000);
    assert!(stats["contextUsage"]["tokens"].as_u64().unwrap() > 100);
}
