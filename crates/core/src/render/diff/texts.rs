//! A diff from the text before and the text after: of whole files, or of parts whose place is not known.

use std::collections::BTreeMap;
use std::ops::Range;

use super::builder::{Allowance, Builder};
use super::compare::{Changes, compare};
use super::slide::slide;
use super::{FileDiff, LineEnd, LineKind};
use crate::limits::{DIFF_COMPARED_LINES, DIFF_CONTEXT_LINES, DIFF_SLIDE_LINES};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TextLine<'a> {
    pub text: &'a str,
    pub end: LineEnd,
}

pub(super) fn of_files(path: &str, old: &str, new: &str, allowance: &mut Allowance) -> FileDiff {
    let mut builder = Builder::new(path);
    add(&mut builder, &lines_of_file(old), &lines_of_file(new), 1, allowance);
    builder.finish()
}

/// Several replacements in one file, each with the part before and after.
pub(super) fn of_parts(path: &str, parts: &[(&str, &str)], allowance: &mut Allowance) -> FileDiff {
    let mut builder = Builder::new(path);
    for (old, new) in parts {
        add(&mut builder, &lines_of_part(old, new), &lines_of_part(new, old), 0, allowance);
    }
    builder.finish()
}

/// Splits at LF alone, as editors and patches count lines; the CR of a CRLF belongs to the end, not to the text.
pub(super) fn text_line(raw: &str) -> TextLine<'_> {
    match raw.strip_suffix('\n') {
        None => TextLine { text: raw, end: LineEnd::Missing },
        Some(line) => without_carriage_return(line),
    }
}

pub(super) fn without_carriage_return(line: &str) -> TextLine<'_> {
    match line.strip_suffix('\r') {
        Some(text) => TextLine { text, end: LineEnd::CarriageReturnNewline },
        None => TextLine { text: line, end: LineEnd::Newline },
    }
}

fn lines_of_file(text: &str) -> Vec<TextLine<'_>> {
    text.split_inclusive('\n').map(text_line).collect()
}

/// A part that ends in the middle of a line still has lines, and none of them lacks a newline. A newline that ends
/// both parts, or a part that is replaced by nothing, begins no further line.
fn lines_of_part<'a>(part: &'a str, other: &str) -> Vec<TextLine<'a>> {
    if part.is_empty() {
        return Vec::new();
    }
    let ends_line = other.is_empty() || other.ends_with('\n');
    let whole = if ends_line { part.strip_suffix('\n').unwrap_or(part) } else { part };
    whole.split('\n').map(without_carriage_return).collect()
}

fn add(
    builder: &mut Builder,
    old: &[TextLine<'_>],
    new: &[TextLine<'_>],
    first_number: usize,
    allowance: &mut Allowance,
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
                builder.line(kind, line.text, line.end, allowance);
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

/// What differs, and whether it was too large to look at closely.
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
    // A change may slide into the lines around it; those far away need not be looked at again.
    let (before, after) = (start.saturating_sub(DIFF_SLIDE_LINES), end.saturating_sub(DIFF_SLIDE_LINES));
    let old = old.get(before..old.len() - after).unwrap_or_default();
    let new = new.get(before..new.len() - after).unwrap_or_default();
    let mut numbers = BTreeMap::new();
    let (old_items, new_items) = (numbered(old, &mut numbers), numbered(new, &mut numbers));
    let mut found = compare(&old_items, &new_items);
    slide(old, &old_items, &mut found.old, &found.new);
    slide(new, &new_items, &mut found.new, &found.old);
    place(&mut changes.old, before, &found.old);
    place(&mut changes.new, before, &found.new);
    (changes, false)
}

/// Lines as numbers: the same number for the same text and end.
fn numbered<'a>(lines: &[TextLine<'a>], numbers: &mut BTreeMap<TextLine<'a>, u32>) -> Vec<u32> {
    let number = |line: &TextLine<'a>| {
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        *numbers.entry(*line).or_insert(next)
    };
    lines.iter().map(number).collect()
}

fn place(flags: &mut [bool], start: usize, found: &[bool]) {
    for (flag, found) in flags.iter_mut().skip(start).zip(found) {
        *flag = *found;
    }
}

/// Runs of changed lines, as ranges of both sides; between two of them both sides have the same lines.
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

#[cfg(test)]
#[path = "texts_tests.rs"]
mod tests;
