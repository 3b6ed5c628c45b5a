//! What an opened tool call shows, by the kind of its work. Recognised by the shape of its arguments, since agents
//! differ; what fits nothing is shown as it is. Changes of files are in `diff`. Derived when shown, never stored.

mod found;
mod plan;

use serde_json::Value;

pub use self::found::{FoundIn, FoundLine, found_in};
pub use self::plan::{PlanState, PlanStep};
use crate::conversation::ui_message::{Phase, ToolStep};
use crate::render::tool_kind::ToolKind;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolView {
    /// A command as it was run; the result is its output.
    Shell {
        command: String,
    },
    /// The result is a file's text, from this line on.
    Read {
        path: String,
        first_line: usize,
    },
    /// The result says where it was found.
    Search {
        details: Vec<(&'static str, String)>,
    },
    Plan(Vec<PlanStep>),
    /// What another agent was asked to do; the result is what it said.
    Delegate {
        task: String,
    },
    /// The arguments, for reading.
    Other {
        arguments: String,
    },
}

impl Default for ToolView {
    fn default() -> Self {
        Self::Other { arguments: String::new() }
    }
}

impl ToolView {
    pub fn of(step: &ToolStep) -> Self {
        let args = &step.tool_args;
        let kind = ToolKind::of(&step.tool_name);
        if let Some(steps) = plan::steps(args).filter(|_| kind == ToolKind::Plan) {
            return Self::Plan(steps);
        }
        match kind {
            ToolKind::Shell => command(args).map(|command| Self::Shell { command }),
            ToolKind::Read => {
                let first =
                    ["offset", "start_line", "startLine"].iter().find_map(|key| args.get(key)?.as_u64());
                let first_line = first.and_then(|line| usize::try_from(line).ok()).unwrap_or(1).max(1);
                // Arguments that say more than where to read are shown.
                text(args, &PATHS).map(|path| Self::Read { path: path.to_owned(), first_line })
            }
            ToolKind::Search | ToolKind::Find => {
                let details = search_details(args);
                (!details.is_empty()).then_some(Self::Search { details })
            }
            ToolKind::Delegate => {
                let task = text(args, &["prompt", "message", "task", "instructions"]);
                task.map(|task| Self::Delegate { task: task.to_owned() })
            }
            _ => None,
        }
        .unwrap_or_else(|| Self::Other { arguments: readable(args) })
    }
}

const PATHS: [&str; 6] = ["path", "file_path", "filePath", "absolute_path", "filepath", "file"];

/// The code with which a command ended. Agents that have no field for it say it in the last line.
pub fn exit_code(step: &ToolStep) -> Option<i64> {
    let details = step.details.as_ref();
    let told = details.and_then(|details| {
        ["exitCode", "exit_code", "exit"].iter().find_map(|key| details.get(key)?.as_i64())
    });
    let said = || {
        let last = step.result.as_deref()?.trim_end().lines().next_back()?;
        last.strip_prefix("Command exited with code ")?.trim_end_matches('.').parse().ok()
    };
    told.or_else(said).filter(|_| ToolKind::of(&step.tool_name) == ToolKind::Shell)
}

/// Whether a call failed because the person stopped it, by the last line of what it says.
pub fn was_stopped(step: &ToolStep) -> bool {
    let last = || step.result.as_deref()?.trim_end().lines().next_back();
    step.phase == Phase::Error
        && last()
            .is_some_and(|last| matches!(last.trim_end_matches('.'), "Command aborted" | "Operation aborted"))
}

/// JSON in several lines, and any other text as it is.
pub fn readable_text(text: &str) -> Option<String> {
    let first = text.trim_start().chars().next()?;
    let value: Value =
        if matches!(first, '{' | '[') { serde_json::from_str(text).ok()? } else { return None };
    Some(readable(&value))
}

fn readable(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Object(fields) if fields.is_empty() => String::new(),
        value => serde_json::to_string_pretty(value).unwrap_or_default(),
    }
}

/// A text, or the words of a command that is given one by one.
fn command(args: &Value) -> Option<String> {
    ["command", "cmd"].iter().find_map(|key| match args.get(key)? {
        Value::String(command) => Some(command.clone()),
        Value::Array(words) => Some(words.iter().filter_map(Value::as_str).collect::<Vec<&str>>().join(" ")),
        _ => None,
    })
}

fn search_details(args: &Value) -> Vec<(&'static str, String)> {
    const FIELDS: [(&str, &[&str]); 3] = [
        ("for", &["pattern", "query", "regex", "search"]),
        ("in", &["path", "directory", "dir"]),
        ("files", &["glob", "include", "file_pattern", "type"]),
    ];
    let field = |(name, keys): &(&'static str, &[&str])| Some((*name, text(args, keys)?.to_owned()));
    FIELDS.iter().filter_map(field).collect()
}

fn text<'a>(args: &'a Value, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| args.get(key)?.as_str()).filter(|text| !text.is_empty())
}

#[cfg(test)]
#[path = "tool_view_tests.rs"]
mod tests;
