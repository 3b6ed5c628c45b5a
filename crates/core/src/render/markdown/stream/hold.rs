//! Decides which lines at the end of a growing text are held back as a whole, because they may still become a
//! different kind of block. Does not affect finished text.

use super::split::ends_with_blank_line;
use crate::limits::MARKDOWN_HELD_BYTES;
use crate::render::markdown::parse::{Leaf, LeafKind};

/// Whether an incomplete line should be held back.
pub fn is_undecided(line: &str) -> bool {
    let (rest, in_item) = without_containers(line);
    has_only_markers(rest)
        || opens_fence(rest)
        || (in_item && ["[", "[ ", "[x", "[X", "[ ]", "[x]", "[X]"].contains(&rest.trim_end_matches(' ')))
        || is_definition(rest)
        || is_lone_tag(rest)
}

/// The start of the last line, if it may be the header of a table. The next line decides that.
pub fn possible_table_header(text: &str, leaf: Option<&Leaf>) -> Option<usize> {
    let leaf = leaf.filter(|leaf| leaf.kind == LeafKind::Paragraph)?;
    if ends_with_blank_line(text) || !text.get(leaf.range.end..)?.trim().is_empty() {
        return None;
    }
    let line = text.strip_suffix('\n').unwrap_or(text);
    let start = line.rfind('\n').map_or(0, |newline| newline + 1);
    without_containers(line.get(start..)?).0.starts_with('|').then_some(start)
}

/// A line without its leading markers of quotes and items, and whether the last of them was that of an item.
fn without_containers(line: &str) -> (&str, bool) {
    let mut rest = line.trim_start_matches([' ', '\t']);
    let mut in_item = false;
    loop {
        let after = if let Some(after) = rest.strip_prefix('>') {
            in_item = false;
            after
        } else if let Some(after) = after_item_marker(rest) {
            in_item = true;
            after
        } else {
            return (rest, in_item);
        };
        rest = after.trim_start_matches([' ', '\t']);
    }
}

fn after_item_marker(rest: &str) -> Option<&str> {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let after = match digits {
        0 => rest.strip_prefix(['-', '*', '+'])?,
        1..=9 => rest.get(digits..)?.strip_prefix(['.', ')'])?,
        _ => return None,
    };
    after.starts_with([' ', '\t']).then_some(after)
}

fn has_only_markers(rest: &str) -> bool {
    let number = rest.trim_start_matches(|character: char| character.is_ascii_digit());
    let number = number.strip_prefix(['.', ')']).unwrap_or(number);
    let marker = |character: char| "#-*+_=>`~|: \t\r".contains(character);
    number.is_empty() || rest.chars().all(marker)
}

/// Whether the line opens a fence. It is held back so that its language does not appear letter by letter.
fn opens_fence(rest: &str) -> bool {
    rest.starts_with("~~~") || (rest.starts_with("```") && !rest.trim_start_matches('`').contains('`'))
}

fn is_definition(rest: &str) -> bool {
    let Some((label, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once("]:")) else {
        return false;
    };
    let mut words = after.split_ascii_whitespace().skip(1);
    let title = words.next().is_none_or(|word| word.starts_with(['"', '\'', '(']));
    !label.contains(['[', ']']) && title
}

/// Whether the line consists of one tag. Alone on its line it is a block, followed by other text it is inline.
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
