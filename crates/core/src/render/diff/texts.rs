//! Compares two versions of a text: whole files, or parts whose position in the file is unknown.
//!
//! If a run of changed lines ends with the line that precedes it, or begins with the line that follows it, several
//! positions of the change are equally correct. `slide` chooses the most readable one: a whole added function
//! instead of the end of one function and the beginning of the next.

use std::collections::BTreeMap;
use std::ops::Range;

use super::builder::{DiffBuilder, DisplayBudget};
use super::compare::{Changes, compare};
use super::{FileDiff, LineEnd, LineKind};
use crate::limits::{DIFF_COMPARED_LINES, DIFF_CONTEXT_LINES, DIFF_SLIDE_LINES};

/// A line of one of the texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TextLine<'a> {
    pub text: &'a str,
    pub end: LineEnd,
}

/// The diff of two versions of a whole file.
pub(super) fn diff_files(path: &str, old: &str, new: &str, budget: &mut DisplayBudget) -> FileDiff {
    let mut builder = DiffBuilder::new(path);
    add_hunks(&mut builder, &lines_of_file(old), &lines_of_file(new), 1, budget);
    builder.finish()
}

/// The diff of several replacements in one file, each with the text before and after.
pub(super) fn diff_parts(path: &str, parts: &[(&str, &str)], budget: &mut DisplayBudget) -> FileDiff {
    let mut builder = DiffBuilder::new(path);
    for (old, new) in parts {
        add_hunks(&mut builder, &lines_of_part(old, new), &lines_of_part(new, old), 0, budget);
    }
    builder.finish()
}

/// Separates a line from its end. Only LF ends a line, as in editors and patches; a CR before it is part of the
/// end.
fn text_line(raw: &str) -> TextLine<'_> {
    match raw.strip_suffix('\n') {
        None => TextLine { text: raw, end: LineEnd::Missing },
        Some(line) => without_carriage_return(line),
    }
}

/// A line whose LF is already removed.
pub(super) fn without_carriage_return(line: &str) -> TextLine<'_> {
    match line.strip_suffix('\r') {
        Some(text) => TextLine { text, end: LineEnd::CarriageReturnNewline },
        None => TextLine { text: line, end: LineEnd::Newline },
    }
}

fn lines_of_file(text: &str) -> Vec<TextLine<'_>> {
    text.split_inclusive('\n').map(text_line).collect()
}

/// The lines of a part. A part may end in the middle of a line, so no line counts as lacking its newline. A final
/// newline does not begin another line if the other part has one too or is empty.
fn lines_of_part<'a>(part: &'a str, other: &str) -> Vec<TextLine<'a>> {
    if part.is_empty() {
        return Vec::new();
    }
    let ends_line = other.is_empty() || other.ends_with('\n');
    let whole = if ends_line { part.strip_suffix('\n').unwrap_or(part) } else { part };
    whole.split('\n').map(without_carriage_return).collect()
}

/// Adds the hunks of two texts. `first_number` is the number of the first line, or 0 if unknown.
fn add_hunks(
    builder: &mut DiffBuilder,
    old: &[TextLine<'_>],
    new: &[TextLine<'_>],
    first_number: usize,
    budget: &mut DisplayBudget,
) {
    let (changes, coarse) = changes_between(old, new);
    builder.diff.coarse |= coarse;
    let blocks = blocks_of(&changes);
    let mut rest = blocks.as_slice();
    while let Some((first_old, first_new)) = rest.first() {
        let touches = |pair: &&[(Range<usize>, Range<usize>)]| match pair {
            [before, after] => after.0.start - before.0.end <= 2 * DIFF_CONTEXT_LINES,
            _ => false,
        };
        let length = 1 + rest.windows(2).take_while(touches).count();
        let (hunk, following) = rest.split_at(length.min(rest.len()));
        rest = following;

        let lead = first_old.start.min(DIFF_CONTEXT_LINES);
        let (mut row, column) = (first_old.start - lead, first_new.start - lead);
        let start = |index: usize, side: &[TextLine<'_>]| {
            if first_number == 0 || side.is_empty() { 0 } else { index + first_number }
        };
        builder.begin_hunk(start(row, old), start(column, new), "");
        let mut emit = |kind: LineKind, lines: &[TextLine<'_>]| {
            for line in lines {
                builder.push_line(kind, line.text, line.end, budget);
            }
        };
        for (removed, added) in hunk {
            emit(LineKind::Context, old.get(row..removed.start).unwrap_or_default());
            emit(LineKind::Removed, old.get(removed.clone()).unwrap_or_default());
            emit(LineKind::Added, new.get(added.clone()).unwrap_or_default());
            row = removed.end;
        }
        let tail = old.len().min(row + DIFF_CONTEXT_LINES);
        emit(LineKind::Context, old.get(row..tail).unwrap_or_default());
    }
    builder.end_hunk();
}

/// The changed lines, and whether the texts were too large for a comparison.
fn changes_between(old: &[TextLine<'_>], new: &[TextLine<'_>]) -> (Changes, bool) {
    let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let shorter = old.len().min(new.len()) - start;
    let pairs = old.iter().rev().zip(new.iter().rev()).take(shorter);
    let end = pairs.take_while(|(old, new)| old == new).count();
    let between = |length: usize| {
        let mut changed = vec![false; length];
        changed.get_mut(start..length - end).unwrap_or_default().fill(true);
        changed
    };
    let mut changes = Changes { old: between(old.len()), new: between(new.len()) };
    if old.len() + new.len() - 2 * (start + end) > DIFF_COMPARED_LINES {
        return (changes, true);
    }
    // A change may slide into the equal lines around it, but not further than `DIFF_SLIDE_LINES`.
    let (before, after) = (start.saturating_sub(DIFF_SLIDE_LINES), end.saturating_sub(DIFF_SLIDE_LINES));
    let old = old.get(before..old.len() - after).unwrap_or_default();
    let new = new.get(before..new.len() - after).unwrap_or_default();
    let mut numbers = BTreeMap::new();
    let (old_items, new_items) = (intern(old, &mut numbers), intern(new, &mut numbers));
    let mut found = compare(&old_items, &new_items);
    slide(old, &old_items, &mut found.old, &found.new);
    slide(new, &new_items, &mut found.new, &found.old);
    copy_at(&mut changes.old, before, &found.old);
    copy_at(&mut changes.new, before, &found.new);
    (changes, false)
}

/// Numbers the lines. Lines with the same text and end get the same number.
fn intern<'a>(lines: &[TextLine<'a>], numbers: &mut BTreeMap<TextLine<'a>, u32>) -> Vec<u32> {
    let number = |line: &TextLine<'a>| {
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        *numbers.entry(*line).or_insert(next)
    };
    lines.iter().map(number).collect()
}

fn copy_at(flags: &mut [bool], start: usize, found: &[bool]) {
    for (flag, found) in flags.iter_mut().skip(start).zip(found) {
        *flag = *found;
    }
}

/// The runs of changed lines as ranges of both sides. Between two of them both sides have the same lines.
fn blocks_of(changes: &Changes) -> Vec<(Range<usize>, Range<usize>)> {
    let run = |flags: &[bool], from: usize| flags.iter().skip(from).take_while(|changed| **changed).count();
    let (mut row, mut column) = (0, 0);
    let mut blocks = Vec::new();
    while row < changes.old.len() || column < changes.new.len() {
        let (removed, added) = (run(&changes.old, row), run(&changes.new, column));
        if removed + added > 0 {
            blocks.push((row..row + removed, column..column + added));
            (row, column) = (row + removed, column + added);
        } else {
            (row, column) = (row + 1, column + 1);
        }
    }
    blocks
}

/// Moves the runs of changed lines of one side to where they read best. A run stays where the other side also has
/// a change, or moves there, so that the two halves of a replacement stay together.
fn slide(lines: &[TextLine<'_>], items: &[u32], changed: &mut [bool], other: &[bool]) {
    let partners = changed_gaps(other);
    let has_partner = |kept: usize| partners.get(kept).copied().unwrap_or_default();
    let (mut start, mut kept) = (0, 0);
    while start < changed.len() {
        let run = changed.iter().skip(start).take_while(|changed| **changed).count();
        if run == 0 {
            (start, kept) = (start + 1, kept + 1);
            continue;
        }
        let place = if has_partner(kept) {
            start
        } else {
            let (first, last) = slide_range(items, changed, start, run);
            let places = first..=last;
            let at_partner =
                places.clone().rev().find(|place| has_partner((kept + place).saturating_sub(start)));
            let best = || {
                let cost = |place: &usize| boundary_cost(lines, *place) + boundary_cost(lines, place + run);
                places.rev().min_by_key(cost)
            };
            at_partner.or_else(best).unwrap_or(start)
        };
        changed.iter_mut().skip(start).take(run).for_each(|flag| *flag = false);
        changed.iter_mut().skip(place).take(run).for_each(|flag| *flag = true);
        kept = (kept + place).saturating_sub(start);
        start = place + run;
    }
}

/// For each number of unchanged lines, whether changed lines follow directly after that many.
fn changed_gaps(changed: &[bool]) -> Vec<bool> {
    let mut gaps = vec![false];
    for changed in changed {
        match gaps.last_mut() {
            Some(gap) if *changed => *gap = true,
            _ => gaps.push(false),
        }
    }
    gaps
}

/// The first and the last position of a run that leave the unchanged lines the same.
fn slide_range(items: &[u32], changed: &[bool], start: usize, run: usize) -> (usize, usize) {
    let free = |index: usize| changed.get(index) == Some(&false);
    let same = |one: usize, other: usize| items.get(one).is_some() && items.get(one) == items.get(other);
    let mut first = start;
    while first > 0 && start - first < DIFF_SLIDE_LINES && free(first - 1) && same(first - 1, first + run - 1)
    {
        first -= 1;
    }
    let mut last = start;
    while last - start < DIFF_SLIDE_LINES && free(last + run) && same(last, last + run) {
        last += 1;
    }
    (first, last)
}

/// A penalty for a change that begins or ends before this line. It is lowest at the outermost indentation next to
/// an empty line, and highest before a line that closes the block above it.
fn boundary_cost(lines: &[TextLine<'_>], place: usize) -> usize {
    #[cfg(test)]
    crate::render::work::add(1);
    let near = 4;
    let before = place.checked_sub(1).and_then(|index| lines.get(index)).map(|line| line.text);
    let at = lines.get(place).map(|line| line.text);
    let (Some(before), Some(at)) = (before, at) else { return 0 };
    let next =
        lines.iter().skip(place).take(near).find_map(|line| indentation(line.text)).unwrap_or_default();
    let previous = lines.get(..place).unwrap_or_default();
    let previous = previous.iter().rev().take(near).find_map(|line| indentation(line.text));
    let closes = previous.is_some_and(|previous| next < previous);
    let beside_empty = if is_blank(before) {
        0
    } else if is_blank(at) {
        1
    } else {
        2
    };
    next * 8 + usize::from(closes) * 4 + beside_empty
}

fn is_blank(text: &str) -> bool {
    indentation(text).is_none()
}

/// The indentation of a line in bytes. None if the beginning of the line is blank.
fn indentation(text: &str) -> Option<usize> {
    let widest = 200;
    let column = text.bytes().take(widest).position(|byte| !byte.is_ascii_whitespace());
    if text.len() > widest { Some(column.unwrap_or(widest)) } else { column }
}

#[cfg(test)]
#[path = "texts_tests.rs"]
mod tests;
