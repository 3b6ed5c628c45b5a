//! Helpers for the tests: shorter calls, and diffs as text, with changed parts of a line in `[ ]`.

use super::builder::DisplayBudget;
use super::{FileDiff, Line, LineEnd, LineKind, texts};

/// The diff of two versions of a file.
pub(super) fn diff_files(path: &str, old: &str, new: &str) -> FileDiff {
    texts::diff_files(path, old, new, &mut DisplayBudget::default())
}

/// The diff of two versions of a part of a file.
pub(super) fn diff_parts(path: &str, old: &str, new: &str) -> FileDiff {
    texts::diff_parts(path, &[(old, new)], &mut DisplayBudget::default())
}

/// The path, then for each hunk `@@ old new heading` and its lines.
pub(super) fn shown(diff: &FileDiff) -> String {
    let mut text = match &diff.old_path {
        Some(old) => format!("{:?} {old} -> {}\n", diff.change, diff.path),
        None => format!("{:?} {}\n", diff.change, diff.path),
    };
    text = text.trim_end().to_owned() + "\n";
    for hunk in &diff.hunks {
        text += format!("@@ {} {} {}", hunk.old_start, hunk.new_start, hunk.heading).trim_end();
        text.push('\n');
        for line in &hunk.lines {
            text.push(sign(line));
            for span in &line.spans {
                let (open, close) = if span.changed { ("[", "]") } else { ("", "") };
                text += &format!("{open}{}{close}", span.text);
            }
            text += match line.end {
                LineEnd::Newline => "\n",
                LineEnd::CarriageReturnNewline => "␍\n",
                LineEnd::Missing => "⊣\n",
            };
        }
    }
    if diff.left_out > 0 {
        text += &format!("{} more\n", diff.left_out);
    }
    text
}

pub(super) fn all_shown(diffs: &[FileDiff]) -> String {
    diffs.iter().map(shown).collect()
}

pub(super) const fn sign(line: &Line) -> char {
    match line.kind {
        LineKind::Context => ' ',
        LineKind::Added => '+',
        LineKind::Removed => '-',
    }
}

/// A multi-line string literal without the indentation of the code around it.
pub(super) fn unindented(text: &str) -> String {
    let lines = || text.lines().skip(1);
    let indent = |line: &str| line.len() - line.trim_start().len();
    let margin = lines().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or_default();
    let cut = |line: &str| format!("{}\n", line.get(margin..).unwrap_or_default());
    let mut cut: String = lines().map(cut).collect();
    while cut.ends_with("\n\n") {
        cut.pop();
    }
    cut
}
