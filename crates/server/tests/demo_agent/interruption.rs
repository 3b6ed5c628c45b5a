//! Aborts, steering, follow-ups, and the queue between them.

use std::fs;

use serde_json::{Value, json};

use crate::driver::{Ground, assert_gone, ended_messages, last_text, shape};

#[test]
fn an_abort_in_mid_text_keeps_the_part_that_came() {
    let ground = Ground::new();
    let mut demo = ground.start(&[]);
    demo.prompt("/wait never");
    demo.until_delta("exists");
    let id = demo.send(json!({"type": "abort"}));
    let lines = demo.until_settled();
    assert_eq!(shape(&lines), ["message_end assistant", "turn_end", "agent_end", "agent_settled"]);
    let message = &ended_messages(&lines)[0];
    assert_eq!(message["stopReason"], "aborted");
    assert_eq!(message["errorMessage"], "Request was aborted");
    assert_eq!(message["content"][1]["text"], "The first half. I continue when `never` exists.");
    assert_eq!(lines.last().unwrap()["aborted"], true);
    assert_eq!(demo.next(), json!({"id": id, "type": "response", "command": "abort", "success": true}));

    demo.prompt("Hello again");
    assert_eq!(demo.until_settled().last().unwrap()["aborted"], false);
}

#[test]
fn an_abort_while_idle_just_succeeds() {
    let ground = Ground::new();
    let mut demo = ground.start(&[]);
    let id = demo.send(json!({"type": "abort"}));
    assert_eq!(demo.next(), json!({"id": id, "type": "response", "command": "abort", "success": true}));
}

#[test]
fn a_held_answer_goes_on_when_the_file_is_there() {
    let ground = Ground::new();
    let mut demo = ground.start(&[]);
    demo.prompt("/wait go");
    demo.until_delta("exists");
    fs::write(ground.file("go"), "").unwrap();
    assert!(last_text(&demo.until_settled()).ends_with("The second half. Done."));
}

#[test]
fn an_abort_in_mid_tool_ends_the_whole_process_group() {
    let ground = Ground::new();
    let mut demo = ground.start(&[]);
    demo.prompt("/run sleep 1000 & echo $! $$; sleep 1000");
    let output = demo.until_tool_output("\n").pop().unwrap();
    let processes = output["partialResult"]["content"][0]["text"].as_str().unwrap().to_owned();
    let id = demo.send(json!({"type": "abort"}));
    let lines = demo.until_settled();
    assert_eq!(
        shape(&lines),
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
        assert_gone(process);
    }
}

#[test]
fn steering_comes_between_turns_and_follow_ups_after_them() {
    let ground = Ground::new();
    let mut demo = ground.start(&[]);
    demo.prompt("/wait-tool go");
    demo.until_tool_output("waiting");

    let refused = demo.prompt("No behaviour");
    let error = demo.response(&refused);
    assert!(error["error"].as_str().unwrap().starts_with("Agent is already processing."), "{error}");
    demo.send(json!({"type": "prompt", "message": "Later", "streamingBehavior": "followUp"}));
    assert_eq!(demo.next(), json!({"type": "queue_update", "steering": [], "followUp": ["Later"]}));
    assert_eq!(demo.next()["data"], json!({"disposition": "queued"}));
    demo.send(json!({"type": "steer", "message": "Now"}));
    assert_eq!(demo.next(), json!({"type": "queue_update", "steering": ["Now"], "followUp": ["Later"]}));
    demo.next();
    assert_eq!(demo.ask(json!({"type": "get_state"}))["pendingMessageCount"], 2);

    fs::write(ground.file("go"), "").unwrap();
    let lines = demo.until_settled();
    let after_tools = lines.iter().position(|line| line["type"] == "turn_end").unwrap();
    assert_eq!(
        shape(&lines[after_tools..]),
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
fn a_follow_up_can_be_a_command() {
    let ground = Ground::new();
    let mut demo = ground.start(&[]);
    demo.prompt("/wait go");
    demo.until_delta("exists");
    demo.send(json!({"type": "follow_up", "message": "/usage"}));
    demo.until_type("response");
    fs::write(ground.file("go"), "").unwrap();
    assert!(last_text(&demo.until_settled()).contains("| context |"));
}

#[test]
fn the_queue_can_be_cleared_and_survives_an_abort() {
    let ground = Ground::new();
    let mut demo = ground.start(&[]);
    demo.prompt("/wait never");
    demo.until_delta("exists");
    demo.send(json!({"type": "steer", "message": "One"}));
    demo.send(json!({"type": "follow_up", "message": "Two"}));
    let cleared = demo.ask(json!({"type": "clear_queue"}));
    assert_eq!(cleared, json!({"steering": ["One"], "followUp": ["Two"]}));
    demo.send(json!({"type": "follow_up", "message": "Three"}));
    demo.send(json!({"type": "abort"}));
    demo.until_settled();
    assert_eq!(demo.ask(json!({"type": "get_state"}))["pendingMessageCount"], 1);
    demo.prompt("Next");
    let users: Vec<Value> = ended_messages(&demo.until_settled())
        .into_iter()
        .filter(|message| message["role"] == "user")
        .collect();
    assert_eq!(users.len(), 2);
    assert_eq!(users[1]["content"][0]["text"], "Three");
}

#[test]
fn all_steering_messages_at_once_if_so_wished() {
    let ground = Ground::new();
    let mut demo = ground.start(&[]);
    demo.ask(json!({"type": "set_steering_mode", "mode": "all"}));
    demo.prompt("/wait-tool go");
    demo.until_tool_output("waiting");
    demo.send(json!({"type": "steer", "message": "One"}));
    demo.ask(json!({"type": "steer", "message": "Two"}));
    fs::write(ground.file("go"), "").unwrap();
    let text = last_text(&demo.until_settled());
    assert!(text.contains("> One\n\n> Two"), "{text}");
}

#[test]
fn a_wait_before_a_retry_can_be_given_up() {
    let ground = Ground::new();
    // The wait is two seconds then, and over at once when given up.
    let mut demo = ground.start(&["--pace", "realistic"]);
    demo.ask(json!({"type": "get_state"}));
    for (command, aborted) in [("abort_retry", false), ("abort", true)] {
        demo.prompt("/error");
        demo.until_type("auto_retry_start");
        demo.send(json!({"type": command}));
        let lines = demo.until_settled();
        let end = lines.iter().find(|line| line["type"] == "auto_retry_end").unwrap();
        assert_eq!(end["finalError"], "Retry cancelled");
        assert_eq!(lines.last().unwrap()["aborted"], aborted);
        if aborted {
            demo.until_type("response");
        }
    }
}

#[test]
fn an_abort_does_not_answer_an_open_question() {
    let ground = Ground::new();
    let mut demo = ground.start(&[]);
    demo.prompt("/approve touch allowed");
    let question = demo.until_type("extension_ui_request").pop().unwrap();
    let abort = demo.send(json!({"type": "abort"}));
    assert_eq!(demo.ask(json!({"type": "get_state"}))["isStreaming"], true);
    demo.answer(&question, json!({"cancelled": true}));
    assert_eq!(demo.until_settled().last().unwrap()["aborted"], true);
    assert_eq!(demo.response(&abort)["success"], true);
    assert!(!ground.file("allowed").exists());
}

#[test]
fn a_compaction_aborts_the_run_first() {
    let ground = Ground::new();
    let mut demo = ground.start(&[]);
    demo.prompt("Hello");
    demo.until_settled();
    demo.prompt("/wait never");
    demo.until_delta("exists");
    let id = demo.send(json!({"type": "compact"}));
    assert_eq!(demo.until_settled().last().unwrap()["aborted"], true);
    assert_eq!(demo.next(), json!({"type": "compaction_start", "reason": "manual"}));
    assert_eq!(demo.response(&id)["success"], true);
}
