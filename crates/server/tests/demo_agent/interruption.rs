//! Aborts, steering, follow-ups and the queue.

use std::fs;

use serde_json::{Value, json};

use crate::driver::{TestFolders, ended_messages, event_types, last_assistant_text, wait_until_gone};

#[test]
fn an_abort_within_a_text_keeps_the_received_part() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    demo.prompt("/wait never");
    demo.read_until_delta("exists");
    let id = demo.send(json!({"type": "abort"}));
    let lines = demo.read_until_settled();
    assert_eq!(event_types(&lines), ["message_end assistant", "turn_end", "agent_end", "agent_settled"]);
    let message = &ended_messages(&lines)[0];
    assert_eq!(message["stopReason"], "aborted");
    assert_eq!(message["errorMessage"], "Request was aborted");
    assert_eq!(message["content"][1]["text"], "The first half. I continue when `never` exists.");
    assert_eq!(lines.last().unwrap()["aborted"], true);
    assert_eq!(demo.read(), json!({"id": id, "type": "response", "command": "abort", "success": true}));

    demo.prompt("Hello again");
    assert_eq!(demo.read_until_settled().last().unwrap()["aborted"], false);
}

#[test]
fn an_abort_while_idle_succeeds() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    let id = demo.send(json!({"type": "abort"}));
    assert_eq!(demo.read(), json!({"id": id, "type": "response", "command": "abort", "success": true}));
}

#[test]
fn a_held_answer_continues_when_the_file_exists() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    demo.prompt("/wait go");
    demo.read_until_delta("exists");
    fs::write(folders.file("go"), "").unwrap();
    assert!(last_assistant_text(&demo.read_until_settled()).ends_with("The second half. Done."));
}

#[test]
fn an_abort_during_a_tool_kills_its_process_group() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    demo.prompt("/run sleep 1000 & echo $! $$; sleep 1000");
    let output = demo.read_until_tool_output("\n").pop().unwrap();
    let processes = output["partialResult"]["content"][0]["text"].as_str().unwrap().to_owned();
    let id = demo.send(json!({"type": "abort"}));
    let lines = demo.read_until_settled();
    assert_eq!(
        event_types(&lines),
        [
            "tool_execution_end",
            "message_start toolResult",
            "message_end toolResult",
            "turn_end",
            "turn_start",
            "message_start assistant",
            "message_end assistant",
            "turn_end",
            "agent_end",
            "agent_settled"
        ]
    );
    assert!(lines[0]["result"]["content"][0]["text"].as_str().unwrap().ends_with("\n\n\nCommand aborted"));
    let messages = ended_messages(&lines);
    assert_eq!(messages[1]["errorMessage"], "This operation was aborted");
    assert_eq!(demo.response(&id)["success"], true);
    for process in processes.split_whitespace() {
        wait_until_gone(process);
    }
}

#[test]
fn steering_is_delivered_between_turns_and_follow_ups_after_them() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    demo.prompt("/wait-tool go");
    demo.read_until_tool_output("waiting");

    let refused = demo.prompt("No behaviour");
    let error = demo.response(&refused);
    assert!(error["error"].as_str().unwrap().starts_with("Agent is already processing."), "{error}");
    demo.send(json!({"type": "prompt", "message": "Later", "streamingBehavior": "followUp"}));
    assert_eq!(demo.read(), json!({"type": "queue_update", "steering": [], "followUp": ["Later"]}));
    assert_eq!(demo.read()["data"], json!({"disposition": "queued"}));
    demo.send(json!({"type": "steer", "message": "Now"}));
    assert_eq!(demo.read(), json!({"type": "queue_update", "steering": ["Now"], "followUp": ["Later"]}));
    demo.read();
    assert_eq!(demo.request(json!({"type": "get_state"}))["pendingMessageCount"], 2);

    fs::write(folders.file("go"), "").unwrap();
    let lines = demo.read_until_settled();
    let after_tools = lines.iter().position(|line| line["type"] == "turn_end").unwrap();
    assert_eq!(
        event_types(&lines[after_tools..]),
        [
            "turn_end",
            "turn_start",
            "queue_update",
            "message_start user",
            "message_end user",
            "message_start assistant",
            "message_end assistant",
            "turn_end",
            "turn_start",
            "queue_update",
            "message_start user",
            "message_end user",
            "message_start assistant",
            "message_end assistant",
            "turn_end",
            "agent_end",
            "agent_settled"
        ]
    );
    let messages = ended_messages(&lines);
    let acknowledged: String = messages[2]["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(acknowledged.contains("> Now"), "{acknowledged}");
    assert_eq!(messages[3]["content"][0]["text"], "Later");
}

#[test]
fn a_follow_up_can_be_a_slash_command() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    demo.prompt("/wait go");
    demo.read_until_delta("exists");
    demo.send(json!({"type": "follow_up", "message": "/usage"}));
    demo.read_until_type("response");
    fs::write(folders.file("go"), "").unwrap();
    assert!(last_assistant_text(&demo.read_until_settled()).contains("| context |"));
}

#[test]
fn the_queue_can_be_cleared_and_survives_an_abort() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    demo.prompt("/wait never");
    demo.read_until_delta("exists");
    demo.send(json!({"type": "steer", "message": "One"}));
    demo.send(json!({"type": "follow_up", "message": "Two"}));
    let cleared = demo.request(json!({"type": "clear_queue"}));
    assert_eq!(cleared, json!({"steering": ["One"], "followUp": ["Two"]}));
    demo.send(json!({"type": "follow_up", "message": "Three"}));
    demo.send(json!({"type": "abort"}));
    demo.read_until_settled();
    assert_eq!(demo.request(json!({"type": "get_state"}))["pendingMessageCount"], 1);
    demo.prompt("Next");
    let users: Vec<Value> = ended_messages(&demo.read_until_settled())
        .into_iter()
        .filter(|message| message["role"] == "user")
        .collect();
    assert_eq!(users.len(), 2);
    assert_eq!(users[1]["content"][0]["text"], "Three");
}

#[test]
fn steering_mode_all_delivers_all_messages_at_once() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    demo.request(json!({"type": "set_steering_mode", "mode": "all"}));
    demo.prompt("/wait-tool go");
    demo.read_until_tool_output("waiting");
    demo.send(json!({"type": "steer", "message": "One"}));
    demo.request(json!({"type": "steer", "message": "Two"}));
    fs::write(folders.file("go"), "").unwrap();
    let text = last_assistant_text(&demo.read_until_settled());
    assert!(text.contains("> One\n\n> Two"), "{text}");
}

#[test]
fn a_wait_before_a_retry_can_be_cancelled() {
    let folders = TestFolders::new();
    // At this pace the wait takes two seconds, unless it is cancelled.
    let mut demo = folders.start(&["--pace", "realistic"]);
    demo.request(json!({"type": "get_state"}));
    for (command, aborted) in [("abort_retry", false), ("abort", true)] {
        demo.prompt("/error");
        demo.read_until_type("auto_retry_start");
        demo.send(json!({"type": command}));
        let lines = demo.read_until_settled();
        let end = lines.iter().find(|line| line["type"] == "auto_retry_end").unwrap();
        assert_eq!(end["finalError"], "Retry cancelled");
        assert_eq!(lines.last().unwrap()["aborted"], aborted);
        if aborted {
            demo.read_until_type("response");
        }
    }
}

#[test]
fn an_abort_does_not_answer_an_open_question() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    demo.prompt("/approve touch allowed");
    let question = demo.read_until_type("extension_ui_request").pop().unwrap();
    let abort = demo.send(json!({"type": "abort"}));
    assert_eq!(demo.request(json!({"type": "get_state"}))["isStreaming"], true);
    demo.answer(&question, json!({"cancelled": true}));
    assert_eq!(demo.read_until_settled().last().unwrap()["aborted"], true);
    assert_eq!(demo.response(&abort)["success"], true);
    assert!(!folders.file("allowed").exists());
}

#[test]
fn a_compaction_aborts_the_run_first() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    demo.prompt("Hello");
    demo.read_until_settled();
    demo.prompt("/wait never");
    demo.read_until_delta("exists");
    let id = demo.send(json!({"type": "compact"}));
    assert_eq!(demo.read_until_settled().last().unwrap()["aborted"], true);
    assert_eq!(demo.read(), json!({"type": "compaction_start", "reason": "manual"}));
    assert_eq!(demo.response(&id)["success"], true);
}
