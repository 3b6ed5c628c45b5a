//! Short descriptions: a tool call in one line, the title of a session.

use serde_json::Value;

use crate::conversation::plan::PlanState;
use crate::conversation::ui_message::{Kind, ToolStep, UiMessage};
use crate::limits::{DESCRIPTION_CHARACTERS, TITLE_CHARACTERS};
use crate::render::tool_kind::ToolKind;
use crate::render::tool_view::ToolView;

/// A tool call in one line: its verb and its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    pub verb: String,
    pub target: String,
    /// The target is the path of a file or folder.
    pub is_path: bool,
}

impl Description {
    /// The target in two parts, so that the page can shorten the folders and keep the file name.
    pub fn folders_and_name(&self, cwd: &str) -> (&str, &str) {
        if self.is_path { folders_and_name(&self.target, cwd) } else { ("", &self.target) }
    }
}

/// The folders and the file name of a path, relative to `cwd` if the path is inside it.
pub fn folders_and_name<'a>(path: &'a str, cwd: &str) -> (&'a str, &'a str) {
    let below = path.strip_prefix(cwd.trim_end_matches('/')).and_then(|path| path.strip_prefix('/'));
    let path = below.filter(|path| !cwd.is_empty() && !path.is_empty()).unwrap_or(path);
    let last = path.trim_end_matches(['/', '\\']).rfind(['/', '\\']);
    path.split_at(last.map_or(0, |place| place + 1))
}

/// The arguments that describe a call best, in order of preference.
const TARGET_ARGUMENTS: [&str; 12] = [
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

/// The target arguments that are paths.
const PATHS: [&str; 3] = ["path", "file_path", "filePath"];

/// The title of the call that delegated the call in this row to another agent. None if the row above makes it obvious: it
/// is that call, or another one that it delegated.
pub fn distant_parent(rows: &[UiMessage], index: usize) -> Option<String> {
    let parent = &rows.get(index)?.tool_step.as_ref()?.info.parent;
    let above = rows[..index].last().and_then(|row| row.tool_step.as_ref());
    let is_near = |above: &ToolStep| above.call_id == *parent || above.info.parent == *parent;
    if parent.is_empty() || above.is_some_and(is_near) {
        return None;
    }
    let mut steps = rows[..index].iter().rev().filter_map(|row| row.tool_step.as_ref());
    let delegating = steps.find(|step| step.call_id == *parent)?;
    let Description { verb, target, .. } = describe_call(delegating);
    Some(if target.is_empty() { verb } else { target })
}

/// Describes a call by the first line of one argument. Its cost does not depend on the length of the others.
pub fn describe_call(step: &ToolStep) -> Description {
    let known = ToolKind::verb(&step.tool_name);
    let verb = known.unwrap_or(&step.tool_name).to_owned();
    if let Some(target) = plan_progress(step) {
        return Description { verb, target, is_path: false };
    }
    let target = |key: &&str| {
        let argument = step.tool_args.get(key)?;
        match argument.as_str().filter(|_| PATHS.contains(key)) {
            Some(path) => Some((shortened_path(path)?, true)),
            None => Some((argument_line(argument)?, false)),
        }
    };
    let located = || Some((shortened_path(&step.info.locations.first()?.path)?, true));
    let (target, is_path) = match TARGET_ARGUMENTS.iter().find_map(target).or_else(located) {
        // The agent describes a call of a tool of its own best.
        Some((_, false)) | None if known.is_none() && !step.info.title.is_empty() => {
            (first_line(&step.info.title, DESCRIPTION_CHARACTERS), false)
        }
        Some(target) => target,
        None => (first_line(&step.info.title, DESCRIPTION_CHARACTERS), false),
    };
    // A title that repeats the tool's name adds nothing.
    let target = if target.eq_ignore_ascii_case(&step.tool_name) { String::new() } else { target };
    Description { verb, target, is_path }
}

/// The progress of a plan, such as "2 of 5 done".
fn plan_progress(step: &ToolStep) -> Option<String> {
    if ToolKind::of(&step.tool_name) != ToolKind::Plan {
        return None;
    }
    let ToolView::Plan(steps) = ToolView::of(step) else { return None };
    let done = steps.iter().filter(|step| step.state == PlanState::Done).count();
    Some(format!("{done} of {} done", steps.len()))
}

/// The first line of an argument, either a string or a list of words.
fn argument_line(argument: &Value) -> Option<String> {
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

/// A path. Of a very long one only the end, which contains the file name.
fn shortened_path(path: &str) -> Option<String> {
    let line = path.trim().lines().next()?;
    let start = line.char_indices().nth_back(DESCRIPTION_CHARACTERS - 1).map_or(0, |(start, _)| start);
    Some(if start == 0 { line.to_owned() } else { format!("…{}", &line[start..]) })
}

/// The title of a session without a name, from its first user message.
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
    fn a_call_far_from_its_parent_names_it() {
        let row = |call: &str, parent: &str, description: &str| {
            let mut step = ToolStep {
                call_id: call.into(),
                tool_name: "Task".into(),
                tool_args: serde_json::json!({ "description": description }),
                ..ToolStep::default()
            };
            step.info.parent = parent.into();
            UiMessage { tool_step: Some(step), ..UiMessage::default() }
        };
        let rows = [
            row("a", "", "Explore"),
            row("a1", "a", ""),
            row("b", "", "Mend"),
            row("b1", "b", ""),
            row("a2", "a", ""),
            row("a3", "a", ""),
            row("x", "gone", ""),
        ];
        let named: Vec<_> = (0..rows.len()).map(|index| distant_parent(&rows, index)).collect();
        let explore = Some("Explore".to_owned());
        assert_eq!(named, [None, None, None, None, explore, None, None]);
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
    fn a_path_is_split_into_folders_relative_to_the_working_directory_and_a_name() {
        let parts = |path: &str, cwd: &str| {
            let read = describe_call(&step("read", json!({ "path": path })));
            let (folders, name) = read.folders_and_name(cwd);
            (folders.to_owned(), name.to_owned())
        };
        let split = |folders: &str, name: &str| (folders.to_owned(), name.to_owned());
        assert_eq!(parts("/ship/src/hull/keel.rs", "/ship"), split("src/hull/", "keel.rs"));
        assert_eq!(parts("/ship/keel.rs", "/ship/"), split("", "keel.rs"));
        assert_eq!(parts("/shipyard/keel.rs", "/ship"), split("/shipyard/", "keel.rs"));
        assert_eq!(parts("/ship", "/ship"), split("/", "ship"));
        assert_eq!(parts("/etc/hosts", "/"), split("etc/", "hosts"));
        assert_eq!(parts("/etc/hosts", ""), split("/etc/", "hosts"));
        assert_eq!(parts("/", "/ship"), split("", "/"));
        assert_eq!(parts("src/", "/ship"), split("", "src/"));
        assert_eq!(parts("C:\\ship\\keel.rs", ""), split("C:\\ship\\", "keel.rs"));
        let deep = format!("/ship/{}keel.rs", "below/".repeat(100));
        assert_eq!(parts(&deep, "/ship").1, "keel.rs");
        let several = describe_call(&step("read", json!({"path": ["a/b", "c/d"]})));
        assert_eq!(several.folders_and_name(""), ("", "a/b c/d"));
        let run = describe_call(&step("bash", json!({"command": "ls /ship/src"})));
        assert_eq!(run.folders_and_name("/ship"), ("", "ls /ship/src"));
    }

    #[test]
    fn a_search_is_described_by_its_pattern() {
        assert_eq!(describe_call(&step("grep", json!({"path": "src", "pattern": "fold"}))).target, "fold");
    }

    #[test]
    fn the_title_of_a_session_is_its_first_prompt() {
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
    fn a_title_is_the_first_line_and_limited_in_characters() {
        assert_eq!(title_from("  Fix the door\nplease"), "Fix the door");
        assert_eq!(title_from(&"ü".repeat(200)).chars().count(), TITLE_CHARACTERS + 1);
    }
}
