//! Prompts, slash commands and settings.

use std::fs;

use serde_json::{Value, json};

use crate::driver::{TestFolders, block_types, ended_messages, event_types, last_assistant_text};

#[test]
fn a_plain_prompt_emits_events_in_the_order_of_pi() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    let id = demo.prompt("Hello");
    let lines = demo.read_until_settled();
    assert_eq!(
        lines[0],
        json!({"id": id, "type": "response", "command": "prompt", "success": true, "data": {"disposition": "started"}})
    );
    assert_eq!(
        event_types(&lines[1..]),
        [
            "agent_start",
            "turn_start",
            "message_start user",
            "message_end user",
            "message_start assistant",
            "message_end assistant",
            "turn_end",
            "agent_end",
            "agent_settled"
        ]
    );
    assert!(last_assistant_text(&lines).contains("built-in demo"));
    assert!(last_assistant_text(&lines).contains("npm install -g @earendil-works/pi-coding-agent"));
}

#[test]
fn deltas_add_up_to_the_message() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    demo.prompt("Hello");
    let lines = demo.read_until_settled();
    let deltas = |kind: &str| -> String {
        let events = lines.iter().map(|line| &line["assistantMessageEvent"]);
        events.filter(|event| event["type"] == kind).map(|event| event["delta"].as_str().unwrap()).collect()
    };
    let message = ended_messages(&lines).pop().unwrap();
    assert_eq!(message["content"][0]["thinking"], deltas("thinking_delta"));
    assert_eq!(message["content"][1]["text"], deltas("text_delta"));
}

#[test]
fn the_same_prompts_get_the_same_answers() {
    let play = || {
        let folders = TestFolders::new();
        fs::write(folders.file("README.md"), "A project.\n").unwrap();
        let mut demo = folders.start(&[]);
        let mut texts = Vec::new();
        for prompt in ["Hello", "And now?", "/tools", "/tour", "/error retry", "/think"] {
            demo.prompt(prompt);
            let lines = demo.read_until_settled();
            let bare = event_types(&lines).into_iter().filter(|kind| kind != "tool_execution_update");
            texts.push((bare.collect::<Vec<_>>(), last_assistant_text(&lines)));
        }
        texts
    };
    assert_eq!(play(), play());
}

#[test]
fn tools_run_in_parallel() {
    let folders = TestFolders::new();
    fs::write(folders.file("README.md"), "A real file.\n").unwrap();
    let mut demo = folders.start(&[]);
    demo.prompt("/tools");
    let lines = demo.read_until_settled();
    let of = |kind: &str, tool: &str| -> Vec<Value> {
        lines.iter().filter(|line| line["type"] == kind && line["toolName"] == tool).cloned().collect()
    };
    let text = |line: &Value| line["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    assert_eq!(text(&of("tool_execution_end", "ls")[0]), "README.md");
    assert!(of("tool_execution_end", "read").iter().any(|line| text(line) == "A real file.\n"));
    assert!(of("tool_execution_end", "read").iter().any(|line| line["isError"] == true));
    let shells = of("tool_execution_end", "bash");
    assert!(shells.iter().any(|line| text(line).ends_with("Command exited with code 3")));
    assert!(shells.iter().any(|line| text(line).contains("step 5 of 5")));
    let edit = &of("tool_execution_end", "edit")[0]["result"]["details"];
    assert!(edit["diff"].as_str().unwrap().contains("\n+2 "), "{edit}");

    // The calls of the second reply end in the order of their durations; their results follow in call order.
    let parallel: Vec<Value> = ended_messages(&lines).into_iter().skip(3).take(6).collect();
    let calls: Vec<&Value> =
        parallel[0]["content"].as_array().unwrap().iter().filter(|part| part["type"] == "toolCall").collect();
    assert_eq!(calls.len(), 5);
    for (call, result) in calls.iter().zip(&parallel[1..]) {
        assert_eq!(call["id"], result["toolCallId"]);
    }
    let ends = lines.iter().filter(|line| line["type"] == "tool_execution_end").skip(1).take(5);
    let ends: Vec<&str> = ends.map(|line| line["toolCallId"].as_str().unwrap()).collect();
    assert_eq!(ends, ["call_6", "call_2", "call_4", "call_5", "call_3"]);

    let names = fs::read_dir(folders.project.path()).unwrap().count();
    assert_eq!(names, 1, "the project is unchanged");
    let scratch =
        edit["patch"].as_str().unwrap().lines().next().unwrap().trim_start_matches("--- ").to_owned();
    assert!(!std::path::Path::new(&scratch).exists(), "the scratch file is removed");
}

#[test]
fn four_questions_are_asked_and_summarised() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    demo.prompt("/ask");
    for (method, answer) in [
        ("select", json!({"value": "green"})),
        ("confirm", json!({"confirmed": true})),
        ("input", json!({"value": "Ada | Co"})),
        ("editor", json!({"cancelled": true})),
    ] {
        let question = demo.read_until_type("extension_ui_request").pop().unwrap();
        assert_eq!(question["method"], method);
        demo.answer(&question, answer);
    }
    let text = last_assistant_text(&demo.read_until_settled());
    for row in
        ["| choice | green |", "| confirmation | yes |", "| name | Ada \\| Co |", "| note | (cancelled) |"]
    {
        assert!(text.contains(row), "{text}");
    }
}

#[test]
fn a_command_runs_only_if_allowed() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    for (answer, runs) in [
        (json!({"value": "Block"}), false),
        (json!({"cancelled": true}), false),
        (json!({"confirmed": true}), false),
        (json!({"value": "Allow"}), true),
    ] {
        demo.prompt("/approve touch allowed");
        let question = demo.read_until_type("extension_ui_request").pop().unwrap();
        assert_eq!(question["method"], "select");
        assert_eq!(question["title"], "Allow this command?\ntouch allowed");
        assert_eq!(question["options"], json!(["Allow", "Block"]));
        demo.answer(&question, answer);
        let lines = demo.read_until_settled();
        assert_eq!(folders.file("allowed").exists(), runs);
        let result = lines.iter().find(|line| line["type"] == "tool_execution_end").unwrap();
        assert_eq!(result["isError"], !runs);
        if !runs {
            assert_eq!(result["result"]["content"][0]["text"], "Blocked by the user");
        }
    }
}

#[test]
fn a_failing_provider_is_retried() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    demo.prompt("/error retry");
    let lines = demo.read_until_settled();
    let ends: Vec<&Value> = lines.iter().filter(|line| line["type"] == "agent_end").collect();
    assert_eq!(ends.len(), 2);
    assert_eq!((&ends[0]["willRetry"], &ends[1]["willRetry"]), (&json!(true), &json!(false)));
    let messages = ended_messages(&lines);
    assert_eq!(messages[1]["stopReason"], "error");
    assert_eq!(messages[2]["stopReason"], "stop");
    assert!(lines.iter().any(|line| line["type"] == "auto_retry_end" && line["success"] == true));
    let context = demo.request(json!({"type": "get_messages"}));
    assert_eq!(context["messages"].as_array().unwrap().len(), 2, "the broken reply is not in the context");

    demo.prompt("/error");
    let lines = demo.read_until_settled();
    assert_eq!(lines.iter().filter(|line| line["type"] == "auto_retry_start").count(), 3);
    let end = lines.iter().find(|line| line["type"] == "auto_retry_end").unwrap();
    assert_eq!(end["success"], false);

    demo.request(json!({"type": "set_auto_retry", "enabled": false}));
    demo.prompt("/error");
    assert!(demo.read_until_settled().iter().all(|line| line["type"] != "auto_retry_start"));
}

#[test]
fn an_image_is_returned_and_attached_images_are_described() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    demo.prompt("/image");
    let lines = demo.read_until_settled();
    let result = lines.iter().find(|line| line["type"] == "tool_execution_end").unwrap();
    let image = &result["result"]["content"][1];
    assert_eq!(image["mimeType"], "image/png");
    assert!(image["data"].as_str().unwrap().starts_with("iVBORw0KGgo"));

    let pixel = json!({"type": "image", "data": "AAAA", "mimeType": "image/webp"});
    demo.send(json!({"type": "prompt", "message": "Look", "images": [pixel, pixel]}));
    let lines = demo.read_until_settled();
    assert_eq!(ended_messages(&lines)[0]["content"][2], pixel);
    let text = last_assistant_text(&lines);
    assert!(text.contains("2 images"), "{text}");
    assert!(text.contains("`image/webp`, 3 bytes"), "{text}");
}

#[test]
fn model_and_thinking_level_change_the_answer() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    demo.prompt("Hello");
    let long = last_assistant_text(&demo.read_until_settled());
    demo.request(json!({"type": "set_model", "provider": "demo", "modelId": "demo-guide-terse"}));
    demo.request(json!({"type": "set_thinking_level", "level": "off"}));
    demo.prompt("/tools");
    let lines = demo.read_until_settled();
    let messages = ended_messages(&lines);
    assert_eq!(messages[1]["model"], "demo-guide-terse");
    assert!(messages.iter().all(|message| !block_types(message).contains(&"thinking")));
    demo.prompt("Hello");
    assert!(last_assistant_text(&demo.read_until_settled()).len() < long.len());
}

#[test]
fn a_long_answer_is_about_48_kilobytes() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    demo.prompt("/long");
    let length = last_assistant_text(&demo.read_until_settled()).len();
    assert!((40_000..56_000).contains(&length), "{length}");
    demo.prompt("/long 3");
    assert!(last_assistant_text(&demo.read_until_settled()).len() < 3_000);
}

#[test]
fn a_conversation_is_compacted() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    let id = demo.send(json!({"type": "compact"}));
    assert_eq!(demo.response(&id)["error"], "Nothing to compact (session too small)");
    demo.prompt("/long");
    demo.read_until_settled();
    demo.prompt("/compact");
    let lines = demo.read_until_settled();
    let tail = event_types(&lines).split_off(event_types(&lines).len() - 4);
    assert_eq!(tail, ["agent_end", "compaction_start", "compaction_end", "agent_settled"]);
    let usage = demo.request(json!({"type": "get_session_stats"}))["contextUsage"].clone();
    assert_eq!(usage, json!({"tokens": null, "contextWindow": 200_000, "percent": null}));
    demo.prompt("/usage");
    demo.read_until_settled();
    let usage = demo.request(json!({"type": "get_session_stats"}))["contextUsage"].clone();
    assert!(usage["tokens"].as_u64().unwrap() < 1_000, "{usage}");
    let context = demo.request(json!({"type": "get_messages"}));
    assert_eq!(context["messages"][0]["role"], "compactionSummary");

    let result = demo.request(json!({"type": "compact"}));
    assert!(result["summary"].as_str().unwrap().contains("## Progress"));
}

#[test]
fn invalid_lines_get_the_errors_of_pi() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    for (line, command, error) in [
        ("{not json", json!("parse"), "Failed to parse command"),
        ("", json!("parse"), "Failed to parse command"),
        ("42", Value::Null, "Unknown command: undefined"),
        ("[]", Value::Null, "Unknown command: undefined"),
        ("null", Value::Null, "Unknown command: undefined"),
        ("{}", Value::Null, "Unknown command: undefined"),
        (r#"{"id":7,"type":"no_such"}"#, json!("no_such"), "Unknown command: no_such"),
        (
            r#"{"type":"prompt"}"#,
            json!("prompt"),
            "Cannot read properties of undefined (reading 'startsWith')",
        ),
        (
            r#"{"type":"set_session_name","name":"  "}"#,
            json!("set_session_name"),
            "Session name cannot be empty",
        ),
        (r#"{"type":"get_entries","since":"x"}"#, json!("get_entries"), "Entry not found: x"),
    ] {
        demo.send_line(line);
        let response = demo.read();
        assert_eq!(response["success"], false, "{line}");
        assert_eq!(response["command"], command, "{line}");
        assert!(response["error"].as_str().unwrap().starts_with(error), "{line}: {response}");
    }
    demo.send_line("{\"id\":\"cr\",\"type\":\"get_state\"}\r");
    assert_eq!(demo.read()["success"], true, "a carriage return counts as white space");
}

#[test]
fn test_commands_are_not_listed() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    let commands = demo.request(json!({"type": "get_commands"}));
    let names: Vec<&str> = commands["commands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|command| command["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"tour") && names.contains(&"approve"));
    assert!(!names.contains(&"wait"));
}
