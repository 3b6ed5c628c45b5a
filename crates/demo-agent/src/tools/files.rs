//! The file tools: list, read, search, write and edit.

use std::{fs, io, path::Path};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::json;

use super::{Scratch, ToolOutcome, diff};
use crate::{
    protocol::{Content, ToolContent},
    scenes::Replacement,
    shell::truncation::{Keep, MAX_LINES, truncate},
};

/// The number of entries that `list` returns.
const MAX_ENTRIES: usize = 500;
/// The largest file that `read` reads.
const MAX_READ: u64 = 20 * 1024 * 1024;
/// The limits of `search`: the size and number of files, and the number and length of matches.
const MAX_SEARCHED: u64 = 256 * 1024;
const MAX_SEARCHED_FILES: usize = 200;
const MAX_MATCHES: usize = 12;
const MAX_MATCH_LENGTH: usize = 200;

pub(super) fn list(folder: &Path) -> ToolOutcome {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return ToolOutcome::error(node_error(&error, "scandir", folder)),
    };
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() { name + "/" } else { name }
        })
        .collect();
    names.sort_by_key(|name| (name.to_lowercase(), name.clone()));
    if names.is_empty() {
        return ToolOutcome::text("(empty directory)");
    }
    let more = names.len().saturating_sub(MAX_ENTRIES);
    names.truncate(MAX_ENTRIES);
    let mut text = names.join("\n");
    if more > 0 {
        text.push_str(&format!("\n\n[{MAX_ENTRIES} entries limit reached, {more} more]"));
    }
    ToolOutcome::text(text)
}

pub(super) fn read(file: &Path) -> ToolOutcome {
    let size = match fs::metadata(file) {
        Ok(metadata) if metadata.is_file() => metadata.len(),
        Ok(_) => return ToolOutcome::error("EISDIR: illegal operation on a directory, read"),
        Err(error) => return ToolOutcome::error(node_error(&error, "access", file)),
    };
    if size > MAX_READ {
        return ToolOutcome::error(format!("The file is too large to read ({size} bytes)"));
    }
    let bytes = match fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) => return ToolOutcome::error(node_error(&error, "open", file)),
    };
    match image_type(&bytes) {
        Some(mime_type) => image_outcome(&bytes, mime_type),
        None => text_outcome(&String::from_utf8_lossy(&bytes)),
    }
}

fn text_outcome(text: &str) -> ToolOutcome {
    let total = text.lines().count();
    let truncated = truncate(text, Keep::Head, total, text.len());
    if !truncated.is_truncated() {
        return ToolOutcome::ok(ToolContent {
            content: vec![Content::text(text)],
            structured_content: Some(json!(text)),
            ..ToolContent::default()
        });
    }
    let shown = truncated.output_lines().min(MAX_LINES);
    let note = format!("\n\n[Showing lines 1-{shown} of {total}. Use offset={} to continue.]", shown + 1);
    let visible = truncated.content.clone() + &note;
    ToolOutcome::ok(ToolContent {
        content: vec![Content::text(visible.clone())],
        details: Some(json!({"truncation": truncated.describe()})),
        structured_content: Some(json!(visible)),
        is_error: false,
    })
}

fn image_outcome(bytes: &[u8], mime_type: &str) -> ToolOutcome {
    let data = STANDARD.encode(bytes);
    let note = format!("Read image file [{mime_type}]");
    ToolOutcome::ok(ToolContent {
        structured_content: Some(json!({"type": "image", "data": data, "mimeType": mime_type, "note": note})),
        content: vec![Content::text(note), Content::Image { data, mime_type: mime_type.to_owned() }],
        ..ToolContent::default()
    })
}

fn image_type(bytes: &[u8]) -> Option<&'static str> {
    const SIGNATURES: [(&[u8], &str); 3] =
        [(b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif")];
    let found = SIGNATURES.iter().find(|(signature, _)| bytes.starts_with(signature));
    found.map(|(_, mime_type)| *mime_type)
}

/// Searches the files of a folder for a lowercase word and prints matches like pi's `grep`. Skips subfolders and
/// large files, because the demo only shows what a search looks like.
pub(super) fn search(folder: &Path, pattern: &str) -> ToolOutcome {
    let mut files: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| {
            path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MAX_SEARCHED)
        })
        .collect();
    files.sort();
    let mut matches = Vec::new();
    for file in files.iter().take(MAX_SEARCHED_FILES) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let Ok(text) = fs::read_to_string(file) else { continue };
        let lines = text.lines().enumerate().filter(|(_, line)| line.to_lowercase().contains(pattern));
        matches.extend(lines.map(|(number, line)| {
            let line: String = line.trim().chars().take(MAX_MATCH_LENGTH).collect();
            format!("{name}:{}: {line}", number + 1)
        }));
        if matches.len() >= MAX_MATCHES {
            matches.truncate(MAX_MATCHES);
            break;
        }
    }
    ToolOutcome::text(if matches.is_empty() { "No matches found".to_owned() } else { matches.join("\n") })
}

pub(super) fn write(scratch: &Scratch, path: &str, content: &str) -> ToolOutcome {
    let file = match check_in_scratch(scratch, path) {
        Ok(file) => file,
        Err(refusal) => return ToolOutcome::error(refusal),
    };
    match scratch.write(file, content.as_bytes()) {
        Ok(()) => ToolOutcome::text(format!("Successfully wrote to {path}")),
        Err(error) => ToolOutcome::error(node_error(&error, "open", file)),
    }
}

pub(super) fn edit(scratch: &Scratch, path: &str, edits: &[Replacement]) -> ToolOutcome {
    let file = match check_in_scratch(scratch, path) {
        Ok(file) => file,
        Err(refusal) => return ToolOutcome::error(refusal),
    };
    let before = match fs::read_to_string(file) {
        Ok(before) => before,
        Err(error) => return ToolOutcome::error(node_error(&error, "access", file)),
    };
    let mut after = before.clone();
    for Replacement { old_text, new_text } in edits {
        if !after.contains(old_text) {
            return ToolOutcome::error(format!(
                "Could not find the exact text in {path}. The old text must match exactly including all \
                whitespace and newlines."
            ));
        }
        after = after.replacen(old_text, new_text, 1);
    }
    if let Err(error) = scratch.write(file, after.as_bytes()) {
        return ToolOutcome::error(node_error(&error, "open", file));
    }
    let change = diff::Change::between(&before, &after);
    ToolOutcome::ok(ToolContent {
        content: vec![Content::text(format!("Successfully replaced {} block(s) in {path}.", edits.len()))],
        details: Some(json!({
            "diff": change.numbered(),
            "patch": change.unified(path),
            "firstChangedLine": change.first_changed_line(),
        })),
        ..ToolContent::default()
    })
}

/// Checks that a path is directly within the scratch folder, so that the user's project is never changed.
fn check_in_scratch<'a>(scratch: &Scratch, path: &'a str) -> Result<&'a Path, String> {
    let refusal = || format!("The demo writes only to {}", scratch.folder().display());
    let file = Path::new(path);
    match file.parent() {
        Some(folder) if folder == scratch.folder() => Ok(file),
        _ => Err(refusal()),
    }
}

/// Formats an error like Node.js, whose messages pi passes on.
fn node_error(error: &io::Error, call: &str, path: &Path) -> String {
    let (code, description) = match error.kind() {
        io::ErrorKind::NotFound => ("ENOENT", "no such file or directory"),
        io::ErrorKind::PermissionDenied => ("EACCES", "permission denied"),
        io::ErrorKind::NotADirectory => ("ENOTDIR", "not a directory"),
        _ => return error.to_string(),
    };
    format!("{code}: {description}, {call} '{}'", path.display())
}
