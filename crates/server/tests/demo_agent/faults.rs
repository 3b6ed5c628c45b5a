//! The faults that other tests rely on.

use serde_json::{Value, json};

use crate::driver::{Ground, is_alive};

fn parsed(lines: &[Vec<u8>]) -> Vec<Value> {
    lines.iter().filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

#[test]
fn stall_stays_silent_but_alive() {
    let ground = Ground::new();
    let mut demo = ground.start(&["--fault", "stall@3"]);
    demo.prompt("Hello");
    for _ in 0..3 {
        demo.next();
    }
    assert!(is_alive(&demo.process_id().to_string()));
    demo.terminate();
    let (status, rest) = demo.ended();
    assert_eq!(status.code(), Some(143));
    assert!(rest.is_empty());
}

#[test]
fn flood_is_one_line_and_life_goes_on() {
    let ground = Ground::new();
    let mut demo = ground.start(&["--fault", "flood@1:3000000"]);
    demo.ask(json!({"type": "get_state"}));
    assert_eq!(demo.next_bytes().len(), 3_000_000);
    demo.ask(json!({"type": "get_state"}));
}

#[test]
fn many_lines_are_all_events() {
    let ground = Ground::new();
    let mut demo = ground.start(&["--fault", "lines@1:20000"]);
    demo.ask(json!({"type": "get_state"}));
    for _ in 0..20_000 {
        assert_eq!(demo.next()["type"], "queue_update");
    }
    demo.ask(json!({"type": "get_state"}));
}

#[test]
fn junk_comes_in_between() {
    let ground = Ground::new();
    let mut demo = ground.start(&["--fault", "junk@2"]);
    demo.send(json!({"type": "get_state"}));
    demo.send(json!({"type": "get_state"}));
    demo.send(json!({"type": "get_commands"}));
    demo.close_input();
    let (_, lines) = demo.ended();
    assert!(lines.iter().any(|line| std::str::from_utf8(line).is_err()));
    let answers = parsed(&lines).iter().filter(|line| line["type"] == "response").count();
    assert_eq!(answers, 3);
}

#[test]
fn die_has_a_code_and_last_words() {
    let ground = Ground::new();
    let mut demo = ground.start(&["--fault", "die@4:7"]);
    demo.prompt("Hello");
    let (status, lines) = demo.ended();
    assert_eq!(status.code(), Some(7));
    assert_eq!(lines.len(), 4);
    assert!(demo.error_text().contains("dying with code 7"));
}

#[test]
fn kill_has_neither() {
    use std::os::unix::process::ExitStatusExt;

    let ground = Ground::new();
    let mut demo = ground.start(&["--fault", "kill@4"]);
    demo.prompt("Hello");
    let (status, lines) = demo.ended();
    assert_eq!(status.signal(), Some(9));
    assert_eq!(lines.len(), 4);
    assert_eq!(demo.error_text(), "");
}

#[test]
fn faults_come_together_and_in_scripts() {
    let ground = Ground::new();
    let script = crate::driver::fixture("plain-text.jsonl");
    let mut demo =
        ground.start(&["--script", script.to_str().unwrap(), "--fault", "junk@1", "--fault", "die@5:9"]);
    demo.prompt("Hello");
    let (status, lines) = demo.ended();
    assert_eq!(status.code(), Some(9));
    assert_eq!(parsed(&lines).iter().filter(|line| line["type"].is_string()).count(), 5 + 1);
}
