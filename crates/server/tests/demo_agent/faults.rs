//! The faults of `--fault`, which other tests rely on.

use serde_json::{Value, json};

use crate::driver::{TestFolders, is_alive};

fn parse_json(lines: &[Vec<u8>]) -> Vec<Value> {
    lines.iter().filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

#[test]
fn stall_stays_silent_but_alive() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&["--fault", "stall@3"]);
    demo.prompt("Hello");
    for _ in 0..3 {
        demo.read();
    }
    assert!(is_alive(&demo.process_id().to_string()));
    demo.terminate();
    let (status, remaining) = demo.wait_for_exit();
    assert_eq!(status.code(), Some(143));
    assert!(remaining.is_empty());
}

#[test]
fn flood_writes_one_line_and_the_agent_continues() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&["--fault", "flood@1:3000000"]);
    demo.request(json!({"type": "get_state"}));
    assert_eq!(demo.read_bytes().len(), 3_000_000);
    demo.request(json!({"type": "get_state"}));
}

#[test]
fn lines_writes_valid_events() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&["--fault", "lines@1:20000"]);
    demo.request(json!({"type": "get_state"}));
    for _ in 0..20_000 {
        assert_eq!(demo.read()["type"], "queue_update");
    }
    demo.request(json!({"type": "get_state"}));
}

#[test]
fn junk_does_not_replace_responses() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&["--fault", "junk@2"]);
    demo.send(json!({"type": "get_state"}));
    demo.send(json!({"type": "get_state"}));
    demo.send(json!({"type": "get_commands"}));
    demo.close_input();
    let (_, lines) = demo.wait_for_exit();
    assert!(lines.iter().any(|line| std::str::from_utf8(line).is_err()));
    let answers = parse_json(&lines).iter().filter(|line| line["type"] == "response").count();
    assert_eq!(answers, 3);
}

#[test]
fn die_exits_with_a_code_and_a_message() {
    let folders = TestFolders::new();
    let mut demo = folders.start(&["--fault", "die@4:7"]);
    demo.prompt("Hello");
    let (status, lines) = demo.wait_for_exit();
    assert_eq!(status.code(), Some(7));
    assert_eq!(lines.len(), 4);
    assert!(demo.read_stderr().contains("dying with code 7"));
}

#[test]
fn kill_ends_by_signal_without_a_message() {
    use std::os::unix::process::ExitStatusExt;

    let folders = TestFolders::new();
    let mut demo = folders.start(&["--fault", "kill@4"]);
    demo.prompt("Hello");
    let (status, lines) = demo.wait_for_exit();
    assert_eq!(status.signal(), Some(9));
    assert_eq!(lines.len(), 4);
    assert_eq!(demo.read_stderr(), "");
}

#[test]
fn faults_can_be_combined_and_used_with_scripts() {
    let folders = TestFolders::new();
    let script = crate::driver::fixture("plain-text.jsonl");
    let mut demo =
        folders.start(&["--script", script.to_str().unwrap(), "--fault", "junk@1", "--fault", "die@5:9"]);
    demo.prompt("Hello");
    let (status, lines) = demo.wait_for_exit();
    assert_eq!(status.code(), Some(9));
    assert_eq!(parse_json(&lines).iter().filter(|line| line["type"].is_string()).count(), 5 + 1);
}
