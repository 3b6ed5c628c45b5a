//! The end of the process and of the shell commands it started.

use serde_json::json;

use crate::driver::{DemoAgent, TestFolders, is_alive, wait_until_gone};

fn start_with_running_tool(folders: &TestFolders) -> (DemoAgent, String) {
    let mut demo = folders.start(&[]);
    demo.prompt("/run echo $$; sleep 1000");
    let output = demo.read_until_tool_output("\n").pop().unwrap();
    let process = output["partialResult"]["content"][0]["text"].as_str().unwrap().trim().to_owned();
    assert!(is_alive(&process));
    (demo, process)
}

#[test]
fn the_end_of_stdin_ends_the_agent_and_its_tools() {
    let folders = TestFolders::new();
    let (mut demo, process) = start_with_running_tool(&folders);
    demo.close_input();
    let (status, _) = demo.wait_for_exit();
    assert_eq!(status.code(), Some(0));
    wait_until_gone(&process);
}

#[test]
fn sigterm_ends_the_agent_and_its_tools() {
    let folders = TestFolders::new();
    let (mut demo, process) = start_with_running_tool(&folders);
    demo.terminate();
    let (status, _) = demo.wait_for_exit();
    assert_eq!(status.code(), Some(143));
    wait_until_gone(&process);
}

#[test]
fn commands_before_the_end_of_stdin_are_answered() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&[]);
    demo.send(json!({"type": "get_state"}));
    demo.close_input();
    let (status, lines) = demo.wait_for_exit();
    assert_eq!(status.code(), Some(0));
    assert_eq!(lines.len(), 1);
}

#[test]
fn ignore_term_ignores_sigterm_and_the_end_of_stdin() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&["--fault", "ignore-term"]);
    demo.request(json!({"type": "get_state"}));
    demo.terminate();
    demo.request(json!({"type": "get_state"}));
    demo.close_input();
    demo.terminate();
    assert!(demo.is_running());
}

#[test]
fn a_session_id_that_is_not_a_file_name_is_rejected() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&["--session-id", "../escape"]);
    let (status, lines) = demo.wait_for_exit();
    assert!(!status.success());
    assert!(lines.is_empty());
    let error = demo.read_stderr();
    assert!(error.contains("not a session id"), "{error}");
}
