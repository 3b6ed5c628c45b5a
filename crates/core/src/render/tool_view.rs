//! The content of an expanded tool call. The shape of the arguments decides, since agents differ; arguments of an
//! unknown shape are shown as JSON. `diff` handles changes of files.

mod search_results;

use serde_json::Value;

pub use self::search_results::{FileMatches, MatchLine, parse_matches};
use crate::conversation::plan::{self, PlanStep};
use crate::conversation::ui_message::{PATH_ARGUMENTS, Phase, ToolStep};
use crate::render::tool_kind::ToolKind;

/// How the page shows the arguments and the result of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolView {
    /// A shell command. The result is its output.
    Shell {
        command: String,
    },
    /// A read file. The result is its text, beginning with this line.
    Read {
        path: String,
        first_line: usize,
    },
    /// A search. The result lists the matches.
    Search {
        details: Vec<(&'static str, String)>,
    },
    Plan(Vec<PlanStep>),
    /// A task for another agent. The result is its answer.
    Delegate {
        task: String,
    },
    /// Any other call, with its arguments as JSON.
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
                text(args, &PATH_ARGUMENTS).map(|path| Self::Read { path: path.to_owned(), first_line })
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
        .unwrap_or_else(|| Self::Other { arguments: pretty_json(args) })
    }
}

/// The exit code of a shell command, from a field of the result or, for agents without one, from the last line.
pub fn exit_code(step: &ToolStep) -> Option<i64> {
    let details = step.details.as_ref();
    let in_field = details.and_then(|details| {
        ["exitCode", "exit_code", "exit"].iter().find_map(|key| details.get(key)?.as_i64())
    });
    let in_last_line = || {
        let last = step.result.as_deref()?.trim_end().lines().next_back()?;
        last.strip_prefix("Command exited with code ")?.trim_end_matches('.').parse().ok()
    };
    in_field.or_else(in_last_line).filter(|_| ToolKind::of(&step.tool_name) == ToolKind::Shell)
}

/// Whether a call failed because the user stopped it, judging by the last line of its result.
pub fn was_stopped(step: &ToolStep) -> bool {
    let last = || step.result.as_deref()?.trim_end().lines().next_back();
    step.phase == Phase::Error
        && last()
            .is_some_and(|last| matches!(last.trim_end_matches('.'), "Command aborted" | "Operation aborted"))
}

/// The text as indented JSON. None if it is not a JSON object or list.
pub fn indented_json(text: &str) -> Option<String> {
    let first = text.trim_start().chars().next()?;
    let value: Value =
        if matches!(first, '{' | '[') { serde_json::from_str(text).ok()? } else { return None };
    Some(pretty_json(&value))
}

fn pretty_json(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Object(fields) if fields.is_empty() => String::new(),
        value => serde_json::to_string_pretty(value).unwrap_or_default(),
    }
}

/// A command, either a string or a list of words.
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
mod tests;
