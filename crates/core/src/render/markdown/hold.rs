//! Which lines the live tail keeps back as a whole, since they may still become another kind of block than they look
//! like. Never decides anything about finished text.

use super::parse::{Leaf, LeafKind};
use super::split::ends_blank;
use crate::limits::MARKDOWN_HELD_BYTES;

/// Whether nothing of a line without its end should be shown yet.
pub fn undecided(line: &str) -> bool {
    let (rest, in_item) = without_containers(line);
    only_markers(rest)
        || opens_fence(rest)
        || (in_item && ["[", "[ ", "[x", "[X", "[ ]", "[x]", "[X]"].contains(&rest.trim_end_matches(' ')))
        || is_definition(rest)
        || is_lone_tag(rest)
}

/// The start of the last line, if it may be the header of a table that the next line decides about.
pub fn table_header(text: &str, leaf: Option<&Leaf>) -> Option<usize> {
    let leaf = leaf.filter(|leaf| leaf.kind == LeafKind::Paragraph)?;
    if ends_blank(text) || !text.get(leaf.range.end..)?.trim().is_empty() {
        return None;
    }
    let line = text.strip_suffix('\n').unwrap_or(text);
    let start = line.rfind('\n').map_or(0, |newline| newline + 1);
    without_containers(line.get(start..)?).0.starts_with('|').then_some(start)
}

/// A line without the marks of quotes and items it begins with, and whether the last of them was an item's.
fn without_containers(line: &str) -> (&str, bool) {
    let mut rest = line.trim_start_matches([' ', '\t']);
    let mut in_item = false;
    loop {
        let behind = if let Some(behind) = rest.strip_prefix('>') {
            in_item = false;
            behind
        } else if let Some(behind) = behind_item_mark(rest) {
            in_item = true;
            behind
        } else {
            return (rest, in_item);
        };
        rest = behind.trim_start_matches([' ', '\t']);
    }
}

fn behind_item_mark(rest: &str) -> Option<&str> {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let behind = match digits {
        0 => rest.strip_prefix(['-', '*', '+'])?,
        1..=9 => rest.get(digits..)?.strip_prefix(['.', ')'])?,
        _ => return None,
    };
    behind.starts_with([' ', '\t']).then_some(behind)
}

fn only_markers(rest: &str) -> bool {
    let number = rest.trim_start_matches(|character: char| character.is_ascii_digit());
    let number = number.strip_prefix(['.', ')']).unwrap_or(number);
    let marker = |character: char| "#-*+_=>`~|: \t\r".contains(character);
    number.is_empty() || rest.chars().all(marker)
}

/// The language in the opening line must not be seen growing.
fn opens_fence(rest: &str) -> bool {
    rest.starts_with("~~~") || (rest.starts_with("```") && !rest.trim_start_matches('`').contains('`'))
}

fn is_definition(rest: &str) -> bool {
    let Some((label, behind)) = rest.strip_prefix('[').and_then(|rest| rest.split_once("]:")) else {
        return false;
    };
    let mut words = behind.split_ascii_whitespace().skip(1);
    let title = words.next().is_none_or(|word| word.starts_with(['"', '\'', '(']));
    !label.contains(['[', ']']) && title
}

/// A tag that is alone on its line makes a block, followed by anything it is a part of the text.
fn is_lone_tag(rest: &str) -> bool {
    let tag = rest.strip_prefix('<').filter(|_| rest.len() <= MARKDOWN_HELD_BYTES);
    tag.is_some_and(|tag| {
        (tag.is_empty()
            || tag.starts_with(|first: char| first.is_ascii_alphabetic() || "/!?".contains(first)))
            && tag.trim_end().find('>').is_none_or(|end| end + 1 == tag.trim_end().len())
    })
}

#[cfg(test)]
#[path = "hold_tests.rs"]
pub mod tests;
