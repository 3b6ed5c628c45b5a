//! Tool calls of different agents and how they are shown.

use serde_json::json;

use super::*;
use crate::conversation::plan::PlanState;
use crate::limits::SHOWN_MATCH_LINES;

fn step(tool: &str, args: Value) -> ToolStep {
    ToolStep { tool_name: tool.into(), tool_args: args, ..ToolStep::default() }
}

#[test]
fn a_shell_command_is_shown_as_one_line() {
    let shell = |tool: &str, command: Value| ToolView::of(&step(tool, json!({"command": command})));
    assert_eq!(shell("bash", json!("ls\npwd")), ToolView::Shell { command: "ls\npwd".into() });
    assert_eq!(
        shell("shell", json!(["bash", "-lc", "ls"])),
        ToolView::Shell { command: "bash -lc ls".into() }
    );
    assert!(matches!(shell("bash", json!(17)), ToolView::Other { .. }));
}

#[test]
fn a_read_file_begins_with_the_requested_line() {
    let first = |args: Value| ToolView::of(&step("read", args));
    assert_eq!(first(json!({"path": "a"})), ToolView::Read { path: "a".into(), first_line: 1 });
    assert_eq!(
        first(json!({"file_path": "a", "offset": 40})),
        ToolView::Read { path: "a".into(), first_line: 40 }
    );
    assert!(matches!(first(json!({"paths": ["a", "b"]})), ToolView::Other { .. }));
}

#[test]
fn the_plans_of_all_agents_are_read() {
    let plan = |tool: &str, args: Value| match ToolView::of(&step(tool, args)) {
        ToolView::Plan(steps) => steps.into_iter().map(|step| (step.text, step.state)).collect(),
        _ => Vec::new(),
    };
    let expected = vec![("look".to_owned(), PlanState::Done), ("mend".to_owned(), PlanState::Doing)];
    let todos =
        json!([{"content": "look", "status": "completed"}, {"content": "mend", "status": "in_progress"}]);
    assert_eq!(plan("TodoWrite", json!({"todos": todos})), expected);
    let steps = json!([{"step": "look", "status": "completed"}, {"step": "mend", "status": "in_progress"}]);
    assert_eq!(plan("update_plan", json!({"plan": steps})), expected);
    assert_eq!(plan("update_todo_list", json!({"todos": "[x] look\n- [-] mend\nnot a step"})), expected);
    assert!(plan("TodoWrite", json!({"todos": []})).is_empty());
}

#[test]
fn a_delegated_task_shows_its_prompt() {
    let view = ToolView::of(&step("Task", json!({"description": "look", "prompt": "Look at it."})));
    assert_eq!(view, ToolView::Delegate { task: "Look at it.".into() });
}

#[test]
fn other_arguments_are_shown_as_indented_json() {
    let other = |args| match ToolView::of(&step("mcp_thing", args)) {
        ToolView::Other { arguments } => arguments,
        _ => String::new(),
    };
    assert_eq!(other(json!({"a": 1})), "{\n  \"a\": 1\n}");
    assert_eq!(other(Value::Null), "");
    assert_eq!(indented_json("{\"a\":1}").as_deref(), Some("{\n  \"a\": 1\n}"));
    assert_eq!(indented_json("[not json"), None);
    assert_eq!(indented_json("7"), None);
}

#[test]
fn the_exit_code_is_in_a_field_or_in_the_last_line() {
    let ended = |result: &str, details: Value| {
        let step = step("bash", json!({}));
        exit_code(&ToolStep { result: Some(result.into()), details: Some(details), ..step })
    };
    assert_eq!(ended("out\n\nCommand exited with code 3", Value::Null), Some(3));
    assert_eq!(ended("out", json!({"exitCode": 4})), Some(4));
    assert_eq!(ended("out", Value::Null), None);
}

#[test]
fn search_results_are_grouped_by_file() {
    let found = parse_matches("src/a.rs:3: fn a()\nsrc/a.rs-4- {\n--\nb-1.rs:17:x: y\n").unwrap();
    let line = |number, text: &str, hit| MatchLine { number, text: text.into(), hit };
    let first = vec![line(3, "fn a()", true), line(4, "{", false)];
    assert_eq!(found[0], FileMatches { path: "src/a.rs".into(), lines: first });
    assert_eq!(found[1], FileMatches { path: "b-1.rs".into(), lines: vec![line(17, "x: y", true)] });
    assert_eq!(parse_matches("no matches"), None);
    assert_eq!(parse_matches("a.rs:1: x\n[100 matches, more left out]"), None, "the note must not be lost");
    assert_eq!(parse_matches(&"a:1: x\n".repeat(SHOWN_MATCH_LINES + 1)), None);
}

#[test]
fn a_stopped_call_is_distinguished_from_a_failed_one() {
    let ended = |phase, result: &str| {
        let step =
            ToolStep { tool_name: "bash".into(), phase, result: Some(result.into()), ..ToolStep::default() };
        was_stopped(&step)
    };
    assert!(ended(Phase::Error, "started\n\n\nCommand aborted"));
    assert!(ended(Phase::Error, "Operation aborted.\n"));
    assert!(!ended(Phase::Error, "Command aborted\nCommand exited with code 1"));
    assert!(!ended(Phase::Error, "No such file"));
    assert!(!ended(Phase::Done, "Command aborted"), "a command may print the same text");
}
