//! Reads the diff format of pi: `+12 text`, `-12 text`, ` 12 text`, and `...` in place of omitted lines. It does
//! not contain the name of the file.

use crate::render::diff::builder::{DiffBuilder, DisplayBudget};
use crate::render::diff::texts::without_carriage_return;
use crate::render::diff::{FileDiff, LineEnd, LineKind};

struct NumberedLine<'a> {
    kind: LineKind,
    /// The line number: in the new file for an added line, otherwise in the old one.
    number: usize,
    text: &'a str,
}

/// None unless every line has this form, so that prose with dashes is not mistaken for a diff.
pub(super) fn parse(text: &str, budget: &mut DisplayBudget) -> Option<FileDiff> {
    let mut builder = DiffBuilder::new("");
    // The next line number on each side, and the difference between them so far.
    let (mut old, mut new) = (0_usize, 0_usize);
    let mut shift = 0_isize;
    for raw in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        if is_gap(raw) {
            builder.end_hunk();
            continue;
        }
        let line = numbered_line(raw)?;
        let (here_old, here_new) = match line.kind {
            LineKind::Added => (line.number.saturating_add_signed(-shift), line.number),
            LineKind::Context | LineKind::Removed => (line.number, line.number.saturating_add_signed(shift)),
        };
        let follows = match line.kind {
            LineKind::Added => here_new == new,
            LineKind::Context | LineKind::Removed => here_old == old,
        };
        if !builder.in_hunk() || !follows {
            builder.begin_hunk(here_old, here_new, "");
            (old, new) = (here_old, here_new);
        }
        match line.kind {
            LineKind::Added => (new, shift) = (new.saturating_add(1), shift.saturating_add(1)),
            LineKind::Removed => (old, shift) = (old.saturating_add(1), shift.saturating_sub(1)),
            LineKind::Context => (old, new) = (old.saturating_add(1), new.saturating_add(1)),
        }
        builder.push_line(line.kind, without_carriage_return(line.text).text, LineEnd::Newline, budget);
    }
    let diff = builder.finish();
    (diff.added + diff.removed > 0).then_some(diff)
}

fn is_gap(line: &str) -> bool {
    line.starts_with(' ') && line.trim() == "..."
}

fn numbered_line(raw: &str) -> Option<NumberedLine<'_>> {
    let (sign, rest) = raw.split_at_checked(1)?;
    let kind = match sign {
        "+" => LineKind::Added,
        "-" => LineKind::Removed,
        " " => LineKind::Context,
        _ => return None,
    };
    let rest = rest.trim_start_matches(' ');
    let (number, text) = rest.split_once(' ').unwrap_or((rest.trim_end(), ""));
    Some(NumberedLine { kind, number: number.parse().ok()?, text })
}

#[cfg(test)]
#[path = "numbered_tests.rs"]
mod tests;
