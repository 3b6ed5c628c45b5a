use serde_json::json;

use super::*;

fn step(tool: &str, args: Value) -> ToolStep {
    ToolStep { tool_name: tool.into(), tool_args: args, ..ToolStep::default() }
}

#[test]
fn a_command_is_shown_as_it_was_run() {
    let shell = |tool: &str, command: Value| ToolView::of(&step(tool, json!({"command": command})));
    assert_eq!(shell("bash", json!("ls\npwd")), ToolView::Shell { command: "ls\npwd".into() });
    assert_eq!(
        shell("shell", json!(["bash", "-lc", "ls"])),
        ToolView::Shell { command: "bash -lc ls".into() }
    );
    assert!(matches!(shell("bash", json!(17)), ToolView::Other { .. }));
}

#[test]
fn a_file_is_shown_from_the_line_it_was_read_from() {
    let first = |args: Value| ToolView::of(&step("read", args));
    assert_eq!(first(json!({"path": "a"})), ToolView::Read { path: "a".into(), first_line: 1 });
    assert_eq!(
        first(json!({"file_path": "a", "offset": 40})),
        ToolView::Read { path: "a".into(), first_line: 40 }
    );
    assert!(matches!(first(json!({"paths": ["a", "b"]})), ToolView::Other { .. }));
}

#[test]
fn plans_of_all_agents_are_lists_of_steps() {
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
fn work_for_another_agent_shows_what_it_was_asked() {
    let view = ToolView::of(&step("Task", json!({"description": "look", "prompt": "Look at it."})));
    assert_eq!(view, ToolView::Delegate { task: "Look at it.".into() });
}

#[test]
fn anything_else_is_readable_json() {
    let other = |args| match ToolView::of(&step("mcp_thing", args)) {
        ToolView::Other { arguments } => arguments,
        _ => String::new(),
    };
    assert_eq!(other(json!({"a": 1})), "{\n  \"a\": 1\n}");
    assert_eq!(other(Value::Null), "");
    assert_eq!(readable_text("{\"a\":1}").as_deref(), Some("{\n  \"a\": 1\n}"));
    assert_eq!(readable_text("[not json"), None);
    assert_eq!(readable_text("7"), None);
}

#[test]
fn an_exit_code_is_told_or_said() {
    let ended = |result: &str, details: Value| {
        let step = step("bash", json!({}));
        exit_code(&ToolStep { result: Some(result.into()), details: Some(details), ..step })
    };
    assert_eq!(ended("out\n\nCommand exited with code 3", Value::Null), Some(3));
    assert_eq!(ended("out", json!({"exitCode": 4})), Some(4));
    assert_eq!(ended("out", Value::Null), None);
}

#[test]
fn what_was_found_stands_by_file() {
    let found = found_in("src/a.rs:3: fn a()\nsrc/a.rs-4- {\n--\nb-1.rs:17:x: y\n").unwrap();
    let line = |number, text: &str, hit| FoundLine { number, text: text.into(), hit };
    let first = vec![line(3, "fn a()", true), line(4, "{", false)];
    assert_eq!(found[0], FoundIn { path: "src/a.rs".into(), lines: first });
    assert_eq!(found[1], FoundIn { path: "b-1.rs".into(), lines: vec![line(17, "x: y", true)] });
    assert_eq!(found_in("no matches"), None);
    assert_eq!(found_in("a.rs:1: x\n[100 matches, more left out]"), None, "nothing that was said is lost");
    assert_eq!(found_in(&"a:1: x\n".repeat(SHOWN + 1)), None);
}

const SHOWN: usize = crate::limits::SHOWN_FOUND_LINES;

#[test]
fn a_call_that_was_stopped_is_told_from_one_that_failed() {
    let ended = |phase, result: &str| {
        let step =
            ToolStep { tool_name: "bash".into(), phase, result: Some(result.into()), ..ToolStep::default() };
        was_stopped(&step)
    };
    assert!(ended(Phase::Error, "started\n\n\nCommand aborted"));
    assert!(ended(Phase::Error, "Operation aborted.\n"));
    assert!(!ended(Phase::Error, "Command aborted\nCommand exited with code 1"));
    assert!(!ended(Phase::Error, "No such file"));
    assert!(!ended(Phase::Done, "Command aborted"), "a command may say so itself");
}
