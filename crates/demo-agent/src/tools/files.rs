//! The tools that work on files: list, read, write, edit.

use std::{fs, io, path::Path};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::json;

use super::{Outcome, Scratch, diff};
use crate::{
    protocol::{Content, ToolContent},
    scenes::Replacement,
    shell::truncation::{Keep, MAX_LINES, truncate},
};

const MAX_ENTRIES: usize = 500;
/// More than this is not read into a conversation.
const MAX_READ: u64 = 20 * 1024 * 1024;

pub(super) fn list(folder: &Path) -> Outcome {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return Outcome::error(node_error(&error, "scandir", folder)),
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
        return Outcome::text("(empty directory)");
    }
    let more = names.len().saturating_sub(MAX_ENTRIES);
    names.truncate(MAX_ENTRIES);
    let mut text = names.join("\n");
    if more > 0 {
        text.push_str(&format!("\n\n[{MAX_ENTRIES} entries limit reached, {more} more]"));
    }
    Outcome::text(text)
}

pub(super) fn read(file: &Path) -> Outcome {
    let size = match fs::metadata(file) {
        Ok(metadata) if metadata.is_file() => metadata.len(),
        Ok(_) => return Outcome::error("EISDIR: illegal operation on a directory, read"),
        Err(error) => return Outcome::error(node_error(&error, "access", file)),
    };
    if size > MAX_READ {
        return Outcome::error(format!("The file is too large to read ({size} bytes)"));
    }
    let bytes = match fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) => return Outcome::error(node_error(&error, "open", file)),
    };
    match image_type(&bytes) {
        Some(mime_type) => image(&bytes, mime_type),
        None => text(&String::from_utf8_lossy(&bytes)),
    }
}

fn text(text: &str) -> Outcome {
    let total = text.lines().count();
    let truncated = truncate(text, Keep::Head, total, text.len());
    if !truncated.is_cut() {
        return Outcome::ok(ToolContent {
            content: vec![Content::text(text)],
            structured_content: Some(json!(text)),
            ..ToolContent::default()
        });
    }
    let shown = truncated.output_lines().min(MAX_LINES);
    let note = format!("\n\n[Showing lines 1-{shown} of {total}. Use offset={} to continue.]", shown + 1);
    let visible = truncated.content.clone() + &note;
    Outcome::ok(ToolContent {
        content: vec![Content::text(visible.clone())],
        details: Some(json!({"truncation": truncated.describe()})),
        structured_content: Some(json!(visible)),
        is_error: false,
    })
}

fn image(bytes: &[u8], mime_type: &str) -> Outcome {
    let data = STANDARD.encode(bytes);
    let note = format!("Read image file [{mime_type}]");
    Outcome::ok(ToolContent {
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

pub(super) fn write(scratch: &Scratch, path: &str, content: &str) -> Outcome {
    let file = match in_scratch(scratch, path) {
        Ok(file) => file,
        Err(refusal) => return Outcome::error(refusal),
    };
    match scratch.write(file, content.as_bytes()) {
        Ok(()) => Outcome::text(format!("Successfully wrote to {path}")),
        Err(error) => Outcome::error(node_error(&error, "open", file)),
    }
}

/// Whatever a scene says, the user's project is never written to.
fn in_scratch<'a>(scratch: &Scratch, path: &'a str) -> Result<&'a Path, String> {
    let refusal = || format!("The demo writes only in {}", scratch.folder().display());
    let file = Path::new(path);
    match file.parent() {
        Some(folder) if folder == scratch.folder() => Ok(file),
        _ => Err(refusal()),
    }
}

pub(super) fn edit(scratch: &Scratch, path: &str, edits: &[Replacement]) -> Outcome {
    let file = match in_scratch(scratch, path) {
        Ok(file) => file,
        Err(refusal) => return Outcome::error(refusal),
    };
    let before = match fs::read_to_string(file) {
        Ok(before) => before,
        Err(error) => return Outcome::error(node_error(&error, "access", file)),
    };
    let mut after = before.clone();
    for Replacement { old_text, new_text } in edits {
        if !after.contains(old_text) {
            return Outcome::error(format!(
                "Could not find the exact text in {path}. The old text must match exactly including all \
                whitespace and newlines."
            ));
        }
        after = after.replacen(old_text, new_text, 1);
    }
    if let Err(error) = scratch.write(file, after.as_bytes()) {
        return Outcome::error(node_error(&error, "open", file));
    }
    let change = diff::Change::between(&before, &after);
    Outcome::ok(ToolContent {
        content: vec![Content::text(format!("Successfully replaced {} block(s) in {path}.", edits.len()))],
        details: Some(json!({
            "diff": change.numbered(),
            "patch": change.unified(path),
            "firstChangedLine": change.first_changed_line(),
        })),
        ..ToolContent::default()
    })
}

/// An error in the words of Node, which pi passes on.
fn node_error(error: &io::Error, call: &str, path: &Path) -> String {
    let (code, words) = match error.kind() {
        io::ErrorKind::NotFound => ("ENOENT", "no such file or directory"),
        io::ErrorKind::PermissionDenied => ("EACCES", "permission denied"),
        io::ErrorKind::NotADirectory => ("ENOTDIR", "not a directory"),
        _ => return error.to_string(),
    };
    format!("{code}: {words}, {call} '{}'", path.display())
}

const MAX_HITS: usize = 12;
const MAX_FILES: usize = 200;
const MAX_SEARCHED: u64 = 256 * 1024;
const MAX_LINE: usize = 200;

pub(super) fn search(folder: &Path, pattern: &str) -> Outcome {
    let mut files: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.metadata().is_ok_and(|about| about.is_file() && about.len() <= MAX_SEARCHED))
        .collect();
    files.sort();
    let mut hits = Vec::new();
    for file in files.iter().take(MAX_FILES) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let Ok(text) = fs::read_to_string(file) else { continue };
        let lines = text.lines().enumerate().filter(|(_, line)| line.to_lowercase().contains(pattern));
        hits.extend(lines.map(|(number, line)| {
            let line: String = line.trim().chars().take(MAX_LINE).collect();
            format!("{name}:{}: {line}", number + 1)
        }));
        if hits.len() >= MAX_HITS {
            hits.truncate(MAX_HITS);
            break;
        }
    }
    Outcome::text(if hits.is_empty() { "No matches found".to_owned() } else { hits.join("\n") })
}
