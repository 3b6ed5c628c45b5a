//! Short descriptions derived for display: the one line of a tool call, the title of a session. Never stored in rows.

use serde_json::Value;

use crate::limits::{DESCRIPTION_CHARACTERS, TITLE_CHARACTERS};
use crate::tool_kind::ToolKind;
use crate::tool_view::{PlanState, ToolView};
use crate::ui_message::{Kind, ToolStep, UiMessage};

/// What a tool call is about, in a line: its verb and its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    pub verb: String,
    pub target: String,
}

/// The arguments that say most about a call, best first.
const TELLING: [&str; 12] = [
    "command",
    "cmd",
    "pattern",
    "query",
    "path",
    "file_path",
    "filePath",
    "url",
    "description",
    "name",
    "prompt",
    "title",
];

/// However long the arguments are, only the telling one is looked at, and only its first line.
pub fn describe_call(step: &ToolStep) -> Description {
    let target = TELLING.iter().find_map(|key| words_of(step.tool_args.get(key)?)).unwrap_or_default();
    let target = plan_words(step).unwrap_or(target);
    let verb = ToolKind::verb(&step.tool_name).unwrap_or(&step.tool_name);
    Description { verb: verb.to_owned(), target }
}

/// How far a plan is.
fn plan_words(step: &ToolStep) -> Option<String> {
    if ToolKind::of(&step.tool_name) != ToolKind::Plan {
        return None;
    }
    let ToolView::Plan(steps) = ToolView::of(step) else { return None };
    let done = steps.iter().filter(|step| step.state == PlanState::Done).count();
    Some(format!("{done} of {} done", steps.len()))
}

/// A text, or the words of a command that is given one by one.
fn words_of(argument: &Value) -> Option<String> {
    let line = match argument {
        Value::String(text) => first_line(text, DESCRIPTION_CHARACTERS),
        Value::Array(words) => {
            let words: Vec<&str> =
                words.iter().take(DESCRIPTION_CHARACTERS).filter_map(Value::as_str).collect();
            first_line(&words.join(" "), DESCRIPTION_CHARACTERS)
        }
        _ => return None,
    };
    Some(line).filter(|line| !line.is_empty())
}

/// A session's title where it has no name: its first user message.
pub fn title_of(rows: &[UiMessage]) -> Option<String> {
    let first = rows.iter().find(|row| row.kind == Kind::User && !row.text.trim().is_empty())?;
    Some(title_from(&first.text))
}

/// The first line of a text, short enough for a title.
pub fn title_from(text: &str) -> String {
    first_line(text, TITLE_CHARACTERS)
}

fn first_line(text: &str, characters: usize) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim_end();
    match line.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn step(tool: &str, args: Value) -> ToolStep {
        ToolStep { tool_name: tool.into(), tool_args: args, ..ToolStep::default() }
    }

    #[test]
    fn a_call_is_described_by_its_command_or_path() {
        let run = describe_call(&step("bash", json!({"timeout": 5, "command": "cargo test\necho done"})));
        assert_eq!((run.verb.as_str(), run.target.as_str()), ("Run", "cargo test"));
        let words = describe_call(&step("shell", json!({"command": ["bash", "-lc", "ls"], "path": "x"})));
        assert_eq!(words.target, "bash -lc ls");
        let write = describe_call(&step("write", json!({"content": "x".repeat(5000), "path": "a/b.rs"})));
        assert_eq!((write.verb.as_str(), write.target.as_str()), ("Write", "a/b.rs"));
    }

    #[test]
    fn a_search_is_described_by_what_it_looks_for() {
        assert_eq!(describe_call(&step("grep", json!({"path": "src", "pattern": "fold"}))).target, "fold");
    }

    #[test]
    fn a_session_is_named_after_the_first_thing_said() {
        let row = |kind, text: &str| UiMessage { kind, text: text.into(), ..UiMessage::default() };
        let rows = [row(Kind::System, "summary"), row(Kind::User, " "), row(Kind::User, "Fix it\nnow")];
        assert_eq!(title_of(&rows).as_deref(), Some("Fix it"));
        assert_eq!(title_of(&rows[..2]), None);
    }

    #[test]
    fn an_unknown_tool_keeps_its_name() {
        let other = describe_call(&step("mcp_thing", json!(17)));
        assert_eq!((other.verb.as_str(), other.target.as_str()), ("mcp_thing", ""));
    }

    #[test]
    fn a_title_is_the_first_line_of_the_first_user_message_cut_by_characters() {
        assert_eq!(title_from("  Fix the door\nplease"), "Fix the door");
        assert_eq!(title_from(&"ü".repeat(200)).chars().count(), TITLE_CHARACTERS + 1);
    }
}
