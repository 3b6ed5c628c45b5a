//! The session file: what is in it, when, and that it goes on.

use serde_json::{Value, json};

use crate::driver::{Ground, ended_messages};

#[test]
fn what_was_announced_is_what_is_stored() {
    let ground = Ground::new();
    let mut demo = ground.start(&[]);
    let mut announced = Vec::new();
    for prompt in ["Hello", "/tools", "/error retry"] {
        demo.prompt(prompt);
        announced.extend(ended_messages(&demo.until_settled()));
    }
    assert_eq!(ground.stored_messages(), announced);

    let entries = ground.session();
    assert_eq!(entries[0]["type"], "session");
    assert_eq!(entries[0]["version"], 3);
    assert_eq!(entries[0]["id"], "session-1");
    let cwd = ground.project.path().canonicalize().unwrap();
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
fn the_user_s_message_is_stored_before_the_reply_is_complete() {
    let ground = Ground::new();
    let mut demo = ground.start(&[]);
    demo.prompt("/wait never");
    demo.until_delta("exists");
    let stored = ground.stored_messages();
    assert_eq!(stored.len(), 1);
    assert_eq!(stored[0]["role"], "user");
}

#[test]
fn looking_at_a_session_leaves_no_file() {
    let ground = Ground::new();
    let mut demo = ground.start(&[]);
    demo.ask(json!({"type": "get_state"}));
    demo.ask(json!({"type": "set_thinking_level", "level": "low"}));
    assert!(!ground.data.path().join("sessions").exists());
}

#[test]
fn a_session_goes_on_in_a_new_process() {
    let ground = Ground::new();
    let mut first = ground.start(&[]);
    first.prompt("Hello");
    first.until_settled();
    first.ask(json!({"type": "set_session_name", "name": "  Named  "}));
    first.ask(json!({"type": "set_model", "provider": "demo", "modelId": "demo-guide-terse"}));
    first.ask(json!({"type": "set_thinking_level", "level": "low"}));
    let file = first.ask(json!({"type": "get_state"}))["sessionFile"].clone();
    drop(first);

    let mut second = ground.start(&[]);
    let state = second.ask(json!({"type": "get_state"}));
    assert_eq!(state["sessionFile"], file);
    assert_eq!(state["sessionId"], "session-1");
    assert_eq!(state["sessionName"], "Named");
    assert_eq!(state["model"]["id"], "demo-guide-terse");
    assert_eq!(state["thinkingLevel"], "low");
    assert_eq!(state["messageCount"], 2);
    let before = ground.session();
    second.prompt("Again");
    second.until_settled();
    let after = ground.session();
    assert_eq!(after[..before.len()], before);
    assert_eq!(after[before.len()]["parentId"], before.last().unwrap()["id"]);
    assert_eq!(after.len(), before.len() + 2, "no second set of settings");

    let entries = second.ask(json!({"type": "get_entries", "since": before.last().unwrap()["id"]}));
    assert_eq!(entries["entries"].as_array().unwrap().len(), 2);
    assert_eq!(entries["leafId"], after.last().unwrap()["id"]);
}

#[test]
fn a_session_killed_in_mid_reply_goes_on() {
    let ground = Ground::new();
    let mut first = ground.start(&["--fault", "kill@8"]);
    first.prompt("Hello");
    first.ended();
    drop(first);
    let mut second = ground.start(&[]);
    second.prompt("Again");
    second.until_settled();
    let roles: Vec<Value> = ground.stored_messages().iter().map(|message| message["role"].clone()).collect();
    assert_eq!(roles, ["user", "user", "assistant"]);
}

#[test]
fn counts_and_usage_follow_the_conversation() {
    let ground = Ground::new();
    let mut demo = ground.start(&[]);
    let empty = demo.ask(json!({"type": "get_session_stats"}));
    assert_eq!(empty["contextUsage"]["tokens"], 0);
    demo.prompt("/tools");
    demo.until_settled();
    let stats = demo.ask(json!({"type": "get_session_stats"}));
    assert_eq!(stats["userMessages"], 1);
    assert_eq!(stats["toolCalls"], stats["toolResults"]);
    assert_eq!(stats["contextUsage"]["contextWindow"], 200_000);
    assert!(stats["contextUsage"]["tokens"].as_u64().unwrap() > 100);
}
