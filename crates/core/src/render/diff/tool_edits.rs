//! Finds the changed files in the arguments and the result of an edit tool, for all agents. A patch in the result
//! is preferred, because it has line numbers. Otherwise the arguments describe the change, also while they are
//! streaming.
//!
//! The shape of the data decides how it is read. The tool's name only distinguishes a written file from other
//! content.

use serde_json::Value;

use super::builder::DisplayBudget;
use super::{FileChange, FileDiff, patch, texts};
use crate::conversation::ui_message::ToolStep;

const PATHS: [&str; 6] = ["path", "file_path", "filePath", "filepath", "file", "filename"];
const OLD: [&str; 5] = ["oldText", "old_string", "oldString", "old_str", "old_text"];
const NEW: [&str; 5] = ["newText", "new_string", "newString", "new_str", "new_text"];
const CONTENT: [&str; 3] = ["content", "file_text", "contents"];
const PATCHES: [&str; 6] = ["patch", "diff", "unified_diff", "unifiedDiff", "patchText", "input"];
const COMMANDS: [&str; 2] = ["command", "cmd"];

/// The diffs of a tool call. Empty if it is not an edit, or if the change is not known yet.
pub fn diffs_of(step: &ToolStep) -> Vec<FileDiff> {
    let args = &step.tool_args;
    let details = step.details.as_ref().unwrap_or(&Value::Null);
    let path = text(args, &PATHS).or_else(|| text(details, &PATHS)).unwrap_or_default();
    let sources: [&dyn Fn() -> Vec<FileDiff>; 8] = [
        &|| patches(details, path),
        &|| patches(details.get("metadata").unwrap_or(&Value::Null), path),
        &|| diff_blocks(details),
        &|| codex_changes(details),
        &|| patches(args, path),
        &|| codex_changes(args),
        &|| replacements(args, path),
        &|| written_file(&step.tool_name, args, path),
    ];
    sources.iter().map(|source| source()).find(|diffs| !diffs.is_empty()).unwrap_or_default()
}

/// A patch in one of the fields, or the value itself. `path` names the file if the patch does not.
fn patches(value: &Value, path: &str) -> Vec<FileDiff> {
    let direct = value.as_str().into_iter();
    let fields = PATCHES.iter().filter_map(|key| value.get(key)).filter_map(Value::as_str);
    // Only `apply_patch` commands count. Other commands may contain a patch without applying it.
    let commands = COMMANDS.iter().filter_map(|key| value.get(key)).filter_map(|command| match command {
        Value::Array(words) => words.last().and_then(Value::as_str),
        command => command.as_str(),
    });
    let commands = commands.filter(|command| command.contains("*** Begin Patch"));
    let mut read = direct.chain(fields).chain(commands).map(patch::parse);
    let mut diffs = read.find(|diffs| !diffs.is_empty()).unwrap_or_default();
    for diff in diffs.iter_mut().filter(|diff| diff.path.is_empty()) {
        path.clone_into(&mut diff.path);
    }
    diffs
}

/// Blocks of the form `{"type": "diff", "path", "oldText", "newText"}`, in a list or in the list `content`.
fn diff_blocks(details: &Value) -> Vec<FileDiff> {
    let list = details.as_array().or_else(|| details.get("content").and_then(Value::as_array));
    let budget = &mut DisplayBudget::default();
    let blocks = list.into_iter().flatten().filter(|block| text(block, &["type"]) == Some("diff"));
    let diff = |block: &Value| {
        let path = text(block, &PATHS).unwrap_or_default();
        let new = text(block, &NEW)?;
        let Some(old) = text(block, &OLD) else {
            let diff = texts::diff_files(path, "", new, budget);
            return Some(FileDiff { change: FileChange::Created, ..diff });
        };
        // Some agents send the whole file, others a part. Agents that add `_meta.kind` are known to send the
        // whole. For all others the line numbers are omitted, since wrong ones are worse than none.
        let whole = block.get("_meta").and_then(|meta| meta.get("kind")).is_some();
        Some(if whole {
            texts::diff_files(path, old, new, budget)
        } else {
            texts::diff_parts(path, &[(old, new)], budget)
        })
    };
    blocks.filter_map(diff).collect()
}

/// The field `changes` of Codex: an object with paths as keys, or a list of objects with a path.
fn codex_changes(value: &Value) -> Vec<FileDiff> {
    let budget = &mut DisplayBudget::default();
    match value.get("changes") {
        Some(Value::Object(files)) => {
            files.iter().flat_map(|(path, change)| codex_change(path, change, budget)).collect()
        }
        Some(Value::Array(files)) => {
            let path = |file: &Value| text(file, &PATHS).unwrap_or_default().to_owned();
            files.iter().flat_map(|file| codex_change(&path(file), file, budget)).collect()
        }
        _ => Vec::new(),
    }
}

/// `{"type": "add", "content"}`, `{"add": {"content"}}` or `{"kind": {"type": "add"}, "diff"}`.
fn codex_change(path: &str, change: &Value, budget: &mut DisplayBudget) -> Vec<FileDiff> {
    let nested = ["add", "delete", "update"].into_iter().find(|kind| change.get(kind).is_some());
    let inner = nested.and_then(|kind| change.get(kind)).unwrap_or(change);
    let kind = change.get("kind").unwrap_or(&Value::Null);
    let name = nested.or_else(|| text(change, &["type"])).or_else(|| text(kind, &["type"])).or(kind.as_str());
    let content = || text(inner, &["content", "diff"]).unwrap_or_default();
    match name {
        Some("add") => {
            let diff = texts::diff_files(path, "", content(), budget);
            vec![FileDiff { change: FileChange::Created, ..diff }]
        }
        Some("delete") => {
            let diff = texts::diff_files(path, content(), "", budget);
            vec![FileDiff { change: FileChange::Deleted, ..diff }]
        }
        _ => {
            let mut diffs = patches(inner, path);
            let moved = text(inner, &["move_path"]).or_else(|| text(kind, &["move_path"]));
            for diff in &mut diffs {
                path.clone_into(&mut diff.path);
                if let Some(target) = moved {
                    diff.old_path = Some(std::mem::replace(&mut diff.path, target.to_owned()));
                    diff.change = FileChange::Moved;
                }
            }
            diffs
        }
    }
}

/// One replacement or a list of them. Their positions in the file are unknown.
fn replacements(args: &Value, path: &str) -> Vec<FileDiff> {
    let one = std::iter::once(args);
    let list = args.get("edits").and_then(Value::as_array).into_iter().flatten();
    let part = |edit| Some((text(edit, &OLD)?, text(edit, &NEW)?));
    let parts: Vec<(&str, &str)> = one.chain(list).filter_map(part).collect();
    let diff = texts::diff_parts(path, &parts, &mut DisplayBudget::default());
    if diff.added + diff.removed == 0 { Vec::new() } else { vec![diff] }
}

/// The whole content of a written file. Its earlier content is unknown.
fn written_file(tool: &str, args: &Value, path: &str) -> Vec<FileDiff> {
    let tool = tool.to_ascii_lowercase();
    let writes = tool.contains("write") || tool.contains("create");
    match text(args, &CONTENT) {
        Some(content) if writes && !path.is_empty() => {
            let diff = texts::diff_files(path, "", content, &mut DisplayBudget::default());
            vec![FileDiff { change: FileChange::Written, ..diff }]
        }
        _ => Vec::new(),
    }
}

fn text<'a>(value: &'a Value, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| value.get(key).and_then(Value::as_str))
}

#[cfg(test)]
#[path = "tool_edits_tests.rs"]
mod tests;
