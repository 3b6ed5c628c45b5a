//! Marks inside changed lines: which line was changed into which, and which of its words differ.
//! Lines that have little in common get no marks, so that marks stay helpful.

use std::collections::BTreeMap;

use super::compare::compare;
use super::tokens::tokens_of;
use super::{Line, LineKind, Span};
use crate::limits::{DIFF_COMMON_PERCENT, DIFF_MARKED_LINE_BYTES, DIFF_MARKED_PAIRS};

/// The words of a line, by number.
struct Words<'a> {
    tokens: Vec<&'a str>,
    items: Vec<u32>,
    /// Without white space and in order of their numbers, to see quickly how much two lines share.
    sorted: Vec<u32>,
}

/// Marks every run of changed lines between two that are not.
pub(super) fn mark(lines: &mut [Line]) {
    for block in lines.split_mut(|line| line.kind == LineKind::Context) {
        mark_block(block);
    }
}

fn mark_block(lines: &mut [Line]) {
    let texts: Vec<String> = lines.iter().map(Line::text).collect();
    let mut numbers = BTreeMap::new();
    let mut of_kind = |kind: LineKind| -> Vec<(usize, Words<'_>)> {
        let indexed = lines.iter().zip(&texts).enumerate().filter(|(_, (line, _))| line.kind == kind);
        indexed.map(|(index, (_, text))| (index, Words::of(text, &mut numbers))).collect()
    };
    let (old, new) = (of_kind(LineKind::Removed), of_kind(LineKind::Added));
    for (before, after) in pairs(&old, &new) {
        let Some((old_spans, new_spans)) = marked(&before.1, &after.1) else { continue };
        for (index, spans) in [(before.0, old_spans), (after.0, new_spans)] {
            if let Some(line) = lines.get_mut(index) {
                line.spans = spans;
            }
        }
    }
}

impl<'a> Words<'a> {
    fn of(text: &'a str, numbers: &mut BTreeMap<&'a str, u32>) -> Self {
        let tokens = if text.len() > DIFF_MARKED_LINE_BYTES { Vec::new() } else { tokens_of(text) };
        let number = |token: &&'a str| {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            *numbers.entry(token).or_insert(next)
        };
        let items: Vec<u32> = tokens.iter().map(number).collect();
        let visible = tokens.iter().zip(&items).filter(|(token, _)| !is_space(token));
        let mut sorted: Vec<u32> = visible.map(|(_, item)| *item).collect();
        sorted.sort_unstable();
        Self { tokens, items, sorted }
    }

    /// How many of a hundred words two lines share, in whatever order.
    fn likeness(&self, other: &Self) -> usize {
        let (mut left, mut right) = (self.sorted.iter().peekable(), other.sorted.iter().peekable());
        let mut common = 0;
        while let (Some(one), Some(another)) = (left.peek(), right.peek()) {
            match one.cmp(another) {
                std::cmp::Ordering::Less => drop(left.next()),
                std::cmp::Ordering::Greater => drop(right.next()),
                std::cmp::Ordering::Equal => {
                    common += 1;
                    left.next();
                    right.next();
                }
            }
        }
        common * 200 / (self.sorted.len() + other.sorted.len()).max(1)
    }
}

type Indexed<'a> = (usize, Words<'a>);

/// Which removed line became which added one: one by one where there are as many, else those most alike, in order.
fn pairs<'w, 'a>(old: &'w [Indexed<'a>], new: &'w [Indexed<'a>]) -> Vec<(&'w Indexed<'a>, &'w Indexed<'a>)> {
    if old.len() == new.len() {
        return old.iter().zip(new).collect();
    }
    if old.len().saturating_mul(new.len()) > DIFF_MARKED_PAIRS {
        return Vec::new();
    }
    // The best sum of likeness for what follows each pair of positions, from the end backwards.
    let width = new.len() + 1;
    let mut best = vec![0; (old.len() + 1) * width];
    let mut alike = vec![0; old.len() * width];
    let get = |cells: &[usize], index: usize| cells.get(index).copied().unwrap_or_default();
    for (row, before) in old.iter().enumerate().rev() {
        for (column, after) in new.iter().enumerate().rev() {
            let cell = row * width + column;
            let likeness = before.1.likeness(&after.1);
            let paired =
                if likeness < DIFF_COMMON_PERCENT { 0 } else { likeness + get(&best, cell + width + 1) };
            let skipped = get(&best, cell + width).max(get(&best, cell + 1));
            if let (Some(best), Some(alike)) = (best.get_mut(cell), alike.get_mut(cell)) {
                *best = paired.max(skipped);
                *alike = usize::from(paired > skipped);
            }
        }
    }
    let mut pairs = Vec::new();
    let (mut row, mut column) = (0, 0);
    while let (Some(before), Some(after)) = (old.get(row), new.get(column)) {
        let cell = row * width + column;
        if get(&alike, cell) > 0 {
            pairs.push((before, after));
            (row, column) = (row + 1, column + 1);
        } else if get(&best, cell + width) >= get(&best, cell + 1) {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}

/// The spans of both lines; None if too little is common.
fn marked(old: &Words<'_>, new: &Words<'_>) -> Option<(Vec<Span>, Vec<Span>)> {
    let changes = compare(&old.items, &new.items);
    let visible = |words: &Words<'_>, changed: Option<&[bool]>| -> usize {
        let tokens = words.tokens.iter().enumerate().filter(|(_, token)| !is_space(token));
        let counted =
            tokens.filter(|(index, _)| changed.is_none_or(|flags| flags.get(*index) == Some(&false)));
        counted.map(|(_, token)| token.len()).sum()
    };
    let common = 2 * visible(old, Some(&changes.old));
    let all = visible(old, None) + visible(new, None);
    if all == 0 || common * 100 < all * DIFF_COMMON_PERCENT {
        return None;
    }
    Some((spans(&old.tokens, changes.old), spans(&new.tokens, changes.new)))
}

fn spans(tokens: &[&str], mut changed: Vec<bool>) -> Vec<Span> {
    // A mark that stops for a space between two changed words is harder to read than one that goes on.
    for index in 1..changed.len() {
        let around = changed.get(index - 1) == Some(&true) && changed.get(index + 1) == Some(&true);
        if let (true, Some(token), Some(flag)) = (around, tokens.get(index), changed.get_mut(index)) {
            *flag |= is_space(token);
        }
    }
    let mut spans: Vec<Span> = Vec::new();
    for (token, changed) in tokens.iter().zip(changed) {
        match spans.last_mut() {
            Some(span) if span.changed == changed => span.text.push_str(token),
            _ => spans.push(Span { text: (*token).to_owned(), changed }),
        }
    }
    spans
}

fn is_space(token: &str) -> bool {
    token.chars().all(char::is_whitespace)
}
