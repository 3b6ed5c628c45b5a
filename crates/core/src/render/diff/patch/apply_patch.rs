//! Reads the format of `apply_patch`: `*** Begin Patch`, a header for each file, and hunks without line numbers.
//! An incomplete patch, which the model is still writing, is read as far as it goes.

use crate::render::diff::builder::{DiffBuilder, DisplayBudget};
use crate::render::diff::texts::without_carriage_return;
use crate::render::diff::{FileChange, FileDiff, LineEnd, LineKind};

const HEADERS: [(&str, FileChange); 3] = [
    ("*** Update File: ", FileChange::Edited),
    ("*** Add File: ", FileChange::Created),
    ("*** Delete File: ", FileChange::Deleted),
];

pub(super) fn is_patch(text: &str) -> bool {
    text.lines().any(|line| line.trim_end() == "*** Begin Patch" || header(line).is_some())
}

pub(super) fn parse(text: &str, budget: &mut DisplayBudget) -> Vec<FileDiff> {
    let mut files = Vec::new();
    let mut file: Option<DiffBuilder> = None;
    for raw in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        let line = raw.strip_suffix('\r').unwrap_or(raw);
        if let Some((path, change)) = header(line) {
            files.extend(file.take().map(DiffBuilder::finish));
            let mut builder = DiffBuilder::new(path);
            builder.diff.change = change;
            file = Some(builder);
        } else if line.trim_end() == "*** End Patch" {
            files.extend(file.take().map(DiffBuilder::finish));
        } else if let Some(builder) = &mut file {
            read_line(builder, line, budget);
        }
    }
    files.extend(file.take().map(DiffBuilder::finish));
    files
}

fn header(line: &str) -> Option<(&str, FileChange)> {
    HEADERS.iter().find_map(|(start, change)| Some((line.strip_prefix(start)?.trim(), *change)))
}

fn read_line(builder: &mut DiffBuilder, line: &str, budget: &mut DisplayBudget) {
    if let Some(path) = line.strip_prefix("*** Move to: ") {
        let old = std::mem::replace(&mut builder.diff.path, path.trim().to_owned());
        (builder.diff.old_path, builder.diff.change) = (Some(old), FileChange::Moved);
    } else if let Some(heading) = line.strip_prefix("@@") {
        builder.begin_hunk(0, 0, heading.trim().trim_end_matches('@').trim_end());
    } else if !line.starts_with("***") && builder.diff.change != FileChange::Deleted {
        if !builder.in_hunk() {
            // A new file is complete, so its lines can be numbered.
            let first = usize::from(builder.diff.change == FileChange::Created);
            builder.begin_hunk(0, first, "");
        }
        let (kind, text) = match line.split_at_checked(1) {
            Some(("+", text)) => (LineKind::Added, text),
            Some(("-", text)) => (LineKind::Removed, text),
            Some((" ", text)) => (LineKind::Context, text),
            _ => (LineKind::Context, line),
        };
        builder.push_line(kind, without_carriage_return(text).text, LineEnd::Newline, budget);
    }
}

#[cfg(test)]
#[path = "apply_patch_tests.rs"]
mod tests;
