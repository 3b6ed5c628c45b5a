//! What the call and the result of an edit tool tell about files, whichever agent it is. A result that has a patch is
//! preferred, since it knows the lines' numbers; else the arguments say what was meant, also while they still arrive.
//! Recognised by the shape of the data; the names of tools only tell a written file from other content.

use serde_json::Value;

use super::builder::Allowance;
use super::{FileChange, FileDiff, texts};
use crate::conversation::ui_message::ToolStep;

const PATHS: [&str; 6] = ["path", "file_path", "filePath", "filepath", "file", "filename"];
const OLD: [&str; 5] = ["oldText", "old_string", "oldString", "old_str", "old_text"];
const NEW: [&str; 5] = ["newText", "new_string", "newString", "new_str", "new_text"];
const CONTENT: [&str; 3] = ["content", "file_text", "contents"];
const PATCHES: [&str; 6] = ["patch", "diff", "unified_diff", "unifiedDiff", "patchText", "input"];
const COMMANDS: [&str; 2] = ["command", "cmd"];

/// Empty if the step is no edit, or if nothing is known of it yet.
pub fn diffs_of(step: &ToolStep) -> Vec<FileDiff> {
    let args = &step.tool_args;
    let details = step.details.as_ref().unwrap_or(&Value::Null);
    let path = text(args, &PATHS).or_else(|| text(details, &PATHS)).unwrap_or_default();
    let sources: [&dyn Fn() -> Vec<FileDiff>; 8] = [
        &|| patches(details, path),
        &|| patches(details.get("metadata").unwrap_or(&Value::Null), path),
        &|| blocks(details),
        &|| changes(details),
        &|| patches(args, path),
        &|| changes(args),
        &|| edits(args, path),
        &|| written(&step.tool_name, args, path),
    ];
    sources.iter().map(|source| source()).find(|diffs| !diffs.is_empty()).unwrap_or_default()
}

/// A patch in one of the fields, or the value itself. The file's name may stand beside it.
fn patches(value: &Value, path: &str) -> Vec<FileDiff> {
    let direct = value.as_str().into_iter();
    let fields = PATCHES.iter().filter_map(|key| value.get(key)).filter_map(Value::as_str);
    // Other commands may well contain a patch without applying it.
    let commands = COMMANDS.iter().filter_map(|key| value.get(key)).filter_map(|command| match command {
        Value::Array(words) => words.last().and_then(Value::as_str),
        command => command.as_str(),
    });
    let commands = commands.filter(|command| command.contains("*** Begin Patch"));
    let mut read = direct.chain(fields).chain(commands).map(FileDiff::from_patch);
    let mut diffs = read.find(|diffs| !diffs.is_empty()).unwrap_or_default();
    for diff in diffs.iter_mut().filter(|diff| diff.path.is_empty()) {
        path.clone_into(&mut diff.path);
    }
    diffs
}

/// Blocks of the kind `{"type": "diff", "path", "oldText", "newText"}`: a list, or below `content`.
fn blocks(details: &Value) -> Vec<FileDiff> {
    let list = details.as_array().or_else(|| details.get("content").and_then(Value::as_array));
    let allowance = &mut Allowance::default();
    let blocks = list.into_iter().flatten().filter(|block| text(block, &["type"]) == Some("diff"));
    let diff = |block: &Value| {
        let path = text(block, &PATHS).unwrap_or_default();
        let new = text(block, &NEW)?;
        let Some(old) = text(block, &OLD) else {
            let diff = texts::of_files(path, "", new, allowance);
            return Some(FileDiff { change: FileChange::Created, ..diff });
        };
        // Some agents send the whole file, some a part of it. Only those that say what they did to the file are
        // known to send the whole; a wrong number would be worse than none.
        let whole = block.get("_meta").and_then(|meta| meta.get("kind")).is_some();
        Some(if whole {
            texts::of_files(path, old, new, allowance)
        } else {
            texts::of_parts(path, &[(old, new)], allowance)
        })
    };
    blocks.filter_map(diff).collect()
}

/// `changes` of Codex: by path, or as a list with a path in each.
fn changes(value: &Value) -> Vec<FileDiff> {
    let allowance = &mut Allowance::default();
    match value.get("changes") {
        Some(Value::Object(files)) => {
            files.iter().flat_map(|(path, change)| file_change(path, change, allowance)).collect()
        }
        Some(Value::Array(files)) => {
            let path = |file: &Value| text(file, &PATHS).unwrap_or_default().to_owned();
            files.iter().flat_map(|file| file_change(&path(file), file, allowance)).collect()
        }
        _ => Vec::new(),
    }
}

/// `{"type": "add", "content"}`, `{"add": {"content"}}` or `{"kind": {"type": "add"}, "diff"}`.
fn file_change(path: &str, change: &Value, allowance: &mut Allowance) -> Vec<FileDiff> {
    let nested = ["add", "delete", "update"].into_iter().find(|kind| change.get(kind).is_some());
    let inner = nested.and_then(|kind| change.get(kind)).unwrap_or(change);
    let kind = change.get("kind").unwrap_or(&Value::Null);
    let name = nested.or_else(|| text(change, &["type"])).or_else(|| text(kind, &["type"])).or(kind.as_str());
    let content = || text(inner, &["content", "diff"]).unwrap_or_default();
    match name {
        Some("add") => {
            let diff = texts::of_files(path, "", content(), allowance);
            vec![FileDiff { change: FileChange::Created, ..diff }]
        }
        Some("delete") => {
            let diff = texts::of_files(path, content(), "", allowance);
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

/// One replacement, or a list of them. Their places in the file are not known.
fn edits(args: &Value, path: &str) -> Vec<FileDiff> {
    let one = std::iter::once(args);
    let list = args.get("edits").and_then(Value::as_array).into_iter().flatten();
    let part = |edit| Some((text(edit, &OLD)?, text(edit, &NEW)?));
    let parts: Vec<(&str, &str)> = one.chain(list).filter_map(part).collect();
    let diff = texts::of_parts(path, &parts, &mut Allowance::default());
    if diff.added + diff.removed == 0 { Vec::new() } else { vec![diff] }
}

/// The whole content of a file; what was there before is not known.
fn written(tool: &str, args: &Value, path: &str) -> Vec<FileDiff> {
    let tool = tool.to_ascii_lowercase();
    let writes = tool.contains("write") || tool.contains("create");
    match text(args, &CONTENT) {
        Some(content) if writes && !path.is_empty() => {
            let diff = texts::of_files(path, "", content, &mut Allowance::default());
            vec![FileDiff { change: FileChange::Written, ..diff }]
        }
        _ => Vec::new(),
    }
}

fn text<'a>(value: &'a Value, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| value.get(key).and_then(Value::as_str))
}

#[cfg(test)]
#[path = "step_tests.rs"]
mod tests;
