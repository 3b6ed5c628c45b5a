//! How it ends: promptly, and with everything it started.

use serde_json::json;

use crate::driver::{Demo, Ground, assert_gone, is_alive};

fn with_a_running_tool(ground: &Ground) -> (Demo, String) {
    let mut demo = ground.start(&[]);
    demo.prompt("/run echo $$; sleep 1000");
    let output = demo.until_tool_output("\n").pop().unwrap();
    let process = output["partialResult"]["content"][0]["text"].as_str().unwrap().trim().to_owned();
    assert!(is_alive(&process));
    (demo, process)
}

#[test]
fn the_end_of_stdin_is_the_end() {
    let ground = Ground::new();
    let (mut demo, process) = with_a_running_tool(&ground);
    demo.close_input();
    let (status, _) = demo.ended();
    assert_eq!(status.code(), Some(0));
    assert_gone(&process);
}

#[test]
fn sigterm_is_the_end() {
    let ground = Ground::new();
    let (mut demo, process) = with_a_running_tool(&ground);
    demo.terminate();
    let (status, _) = demo.ended();
    assert_eq!(status.code(), Some(143));
    assert_gone(&process);
}

#[test]
fn commands_before_the_end_are_answered() {
    let ground = Ground::new();
    let mut demo = ground.start(&[]);
    demo.send(json!({"type": "get_state"}));
    demo.close_input();
    let (status, lines) = demo.ended();
    assert_eq!(status.code(), Some(0));
    assert_eq!(lines.len(), 1);
}

#[test]
fn told_to_ignore_it_neither_ends_it() {
    let ground = Ground::new();
    let mut demo = ground.start(&["--fault", "ignore-term"]);
    demo.ask(json!({"type": "get_state"}));
    demo.terminate();
    demo.ask(json!({"type": "get_state"}));
    demo.close_input();
    demo.terminate();
    assert!(demo.is_running());
}

#[test]
fn an_id_that_is_no_file_name_is_refused() {
    let ground = Ground::new();
    let mut demo = ground.start(&["--session-id", "../escape"]);
    let (status, lines) = demo.ended();
    assert!(!status.success());
    assert!(lines.is_empty());
    let error = demo.error_text();
    assert!(error.contains("not a session id"), "{error}");
}
