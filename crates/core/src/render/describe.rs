//! Short descriptions derived for display: the one line of a tool call, the title of a session. Never stored in rows.

use serde_json::Value;

use crate::conversation::ui_message::{Kind, ToolStep, UiMessage};
use crate::limits::{DESCRIPTION_CHARACTERS, TITLE_CHARACTERS};
use crate::render::tool_kind::ToolKind;
use crate::render::tool_view::{PlanState, ToolView};

/// What a tool call is about, in a line: its verb and its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    pub verb: String,
    pub target: String,
    /// The target is the path of a file or of a folder.
    pub is_path: bool,
}

impl Description {
    /// The target in two parts, so that the name of a file stays when there is no room for its folders.
    pub fn folders_and_name(&self, cwd: &str) -> (&str, &str) {
        if self.is_path { folders_and_name(&self.target, cwd) } else { ("", &self.target) }
    }
}

/// A path in two parts, told from the folder that is worked in if it is below it.
pub fn folders_and_name<'a>(path: &'a str, cwd: &str) -> (&'a str, &'a str) {
    let below = path.strip_prefix(cwd.trim_end_matches('/')).and_then(|path| path.strip_prefix('/'));
    let path = below.filter(|path| !cwd.is_empty() && !path.is_empty()).unwrap_or(path);
    let last = path.trim_end_matches(['/', '\\']).rfind(['/', '\\']);
    path.split_at(last.map_or(0, |place| place + 1))
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

/// Those of them that are paths.
const PATHS: [&str; 3] = ["path", "file_path", "filePath"];

/// However long the arguments are, only the telling one is looked at, and only its first line.
pub fn describe_call(step: &ToolStep) -> Description {
    let verb = ToolKind::verb(&step.tool_name).unwrap_or(&step.tool_name).to_owned();
    if let Some(target) = plan_words(step) {
        return Description { verb, target, is_path: false };
    }
    let telling = |key: &&str| {
        let argument = step.tool_args.get(key)?;
        match argument.as_str().filter(|_| PATHS.contains(key)) {
            Some(path) => Some((end_of(path)?, true)),
            None => Some((words_of(argument)?, false)),
        }
    };
    let (target, is_path) = TELLING.iter().find_map(telling).unwrap_or_default();
    Description { verb, target, is_path }
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

/// A path; of one that is very long the end, which names the file.
fn end_of(path: &str) -> Option<String> {
    let line = path.trim().lines().next()?;
    let start = line.char_indices().nth_back(DESCRIPTION_CHARACTERS - 1).map_or(0, |(start, _)| start);
    Some(if start == 0 { line.to_owned() } else { format!("…{}", &line[start..]) })
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
    fn a_path_is_told_from_the_folder_that_is_worked_in_with_its_name_apart() {
        let parts = |path: &str, cwd: &str| {
            let read = describe_call(&step("read", json!({ "path": path })));
            let (folders, name) = read.folders_and_name(cwd);
            (folders.to_owned(), name.to_owned())
        };
        let told = |folders: &str, name: &str| (folders.to_owned(), name.to_owned());
        assert_eq!(parts("/ship/src/hull/keel.rs", "/ship"), told("src/hull/", "keel.rs"));
        assert_eq!(parts("/ship/keel.rs", "/ship/"), told("", "keel.rs"));
        assert_eq!(parts("/shipyard/keel.rs", "/ship"), told("/shipyard/", "keel.rs"));
        assert_eq!(parts("/ship", "/ship"), told("/", "ship"));
        assert_eq!(parts("/etc/hosts", "/"), told("etc/", "hosts"));
        assert_eq!(parts("/etc/hosts", ""), told("/etc/", "hosts"));
        assert_eq!(parts("/", "/ship"), told("", "/"));
        assert_eq!(parts("src/", "/ship"), told("", "src/"));
        assert_eq!(parts("C:\\ship\\keel.rs", ""), told("C:\\ship\\", "keel.rs"));
        let deep = format!("/ship/{}keel.rs", "below/".repeat(100));
        assert_eq!(parts(&deep, "/ship").1, "keel.rs");
        let several = describe_call(&step("read", json!({"path": ["a/b", "c/d"]})));
        assert_eq!(several.folders_and_name(""), ("", "a/b c/d"));
        let run = describe_call(&step("bash", json!({"command": "ls /ship/src"})));
        assert_eq!(run.folders_and_name("/ship"), ("", "ls /ship/src"));
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
