//! Marks the changed words inside changed lines: pairs each removed line with the added line that replaces it, and
//! compares their words. Lines with little in common get no marks.
//!
//! A unit of marking is a word, a run of white space or a single symbol. Characters that readers perceive as one
//! are not split, as far as ranges of code points can tell.

use std::collections::BTreeMap;

use super::compare::compare;
use super::{Line, LineKind, Span};
use crate::limits::{DIFF_COMMON_PERCENT, DIFF_MARKED_LINE_BYTES, DIFF_MARKED_PAIRS};

/// The tokens of a line.
struct Words<'a> {
    tokens: Vec<&'a str>,
    /// A number for each token. Equal tokens have the same number.
    items: Vec<u32>,
    /// The numbers without white space, sorted, for a quick estimate of similarity.
    sorted: Vec<u32>,
}

/// Marks the changed words in all lines of a hunk.
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

    /// The percentage of words that two lines share, in any order.
    fn similarity(&self, other: &Self) -> usize {
        #[cfg(test)]
        crate::render::work::add(1);
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

/// Pairs removed with added lines: one by one if there are equally many, otherwise the most similar ones, in
/// order.
fn pairs<'w, 'a>(old: &'w [Indexed<'a>], new: &'w [Indexed<'a>]) -> Vec<(&'w Indexed<'a>, &'w Indexed<'a>)> {
    if old.len() == new.len() {
        return old.iter().zip(new).collect();
    }
    if old.len().saturating_mul(new.len()) > DIFF_MARKED_PAIRS {
        return Vec::new();
    }
    // For each pair of positions, the best sum of similarities from there to the end, computed backwards.
    let width = new.len() + 1;
    let mut best = vec![0; (old.len() + 1) * width];
    let mut is_pair = vec![0; old.len() * width];
    let get = |cells: &[usize], index: usize| cells.get(index).copied().unwrap_or_default();
    for (row, before) in old.iter().enumerate().rev() {
        for (column, after) in new.iter().enumerate().rev() {
            let cell = row * width + column;
            let similarity = before.1.similarity(&after.1);
            let paired =
                if similarity < DIFF_COMMON_PERCENT { 0 } else { similarity + get(&best, cell + width + 1) };
            let skipped = get(&best, cell + width).max(get(&best, cell + 1));
            if let (Some(best), Some(is_pair)) = (best.get_mut(cell), is_pair.get_mut(cell)) {
                *best = paired.max(skipped);
                *is_pair = usize::from(paired > skipped);
            }
        }
    }
    let mut pairs = Vec::new();
    let (mut row, mut column) = (0, 0);
    while let (Some(before), Some(after)) = (old.get(row), new.get(column)) {
        let cell = row * width + column;
        if get(&is_pair, cell) > 0 {
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

/// The spans of both lines. None if they have too little in common.
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
    // A mark that is interrupted by the space between two changed words is hard to read.
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum CharClass {
    Word,
    Space,
    /// Always a token of one character.
    Symbol,
}

fn tokens_of(line: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut last: Option<(CharClass, char)> = None;
    for (index, character) in line.char_indices() {
        let class = class_of(character);
        let continues = match last {
            None => true,
            Some((_, JOINER)) => true,
            Some(_) if extends(character) => true,
            Some((before, _)) => before == class && class != CharClass::Symbol,
        };
        if !continues {
            tokens.push(line.get(start..index).unwrap_or_default());
            start = index;
        }
        // A combining character does not change the class of its token.
        let kept = last.filter(|_| continues && extends(character)).map_or(class, |(before, _)| before);
        last = Some((kept, character));
    }
    if start < line.len() {
        tokens.push(line.get(start..).unwrap_or_default());
    }
    tokens
}

/// The zero width joiner, which combines two emoji into one.
const JOINER: char = '\u{200d}';

fn class_of(character: char) -> CharClass {
    match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => CharClass::Word,
        ' ' | '\t' => CharClass::Space,
        '\0'..='\u{7f}' => CharClass::Symbol,
        // Scripts without spaces between words.
        '\u{2e80}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => CharClass::Symbol,
        // Scripts whose characters combine with their neighbours, and flags, which are pairs.
        '\u{900}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{1f1e6}'..='\u{1f1ff}' => CharClass::Word,
        _ if character.is_whitespace() => CharClass::Space,
        _ if character.is_alphanumeric() => CharClass::Word,
        _ => CharClass::Symbol,
    }
}

/// Whether a character belongs to the one before it: combining marks, variation selectors, skin tones, joiners,
/// tags.
const fn extends(character: char) -> bool {
    matches!(character,
        '\u{300}'..='\u{36f}'
        | '\u{483}'..='\u{489}'
        | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{5c7}'
        | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6ed}'
        | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}'
        | '\u{200c}' | JOINER
        | '\u{20d0}'..='\u{20ff}'
        | '\u{302a}'..='\u{302f}' | '\u{3099}' | '\u{309a}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{fe20}'..='\u{fe2f}'
        | '\u{1f3fb}'..='\u{1f3ff}'
        | '\u{e0020}'..='\u{e007f}'
        | '\u{e0100}'..='\u{e01ef}')
}
