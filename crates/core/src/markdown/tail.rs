//! What is shown of the text that is not finished: a text in which nothing is half written, parsed like any other.

use super::Block;
use super::heal::heal;
use super::hold;
use super::references::References;
use super::split::ends_blank;
use super::tree::{Leaf, LeafKind, build};

/// The blocks to show for a text that still grows.
pub fn blocks(text: &str, references: &References) -> Vec<Block> {
    let line = text.rfind('\n').map_or(0, |newline| newline + 1);
    let held = text.get(line..).is_some_and(hold::undecided);
    let mut text = if held { text.get(..line).unwrap_or_default() } else { text };
    let mut built = build(text, references, Some(text.len()));
    if let Some(start) = hold::table_header(text, built.leaf.as_ref()) {
        text = text.get(..start).unwrap_or_default();
        built = build(text, references, Some(text.len()));
    }
    let Some(leaf) = built.leaf.filter(|leaf| may_go_on(text, leaf)) else { return built.blocks };
    let start = leaf.range.start;
    let healed = heal(text.get(start..).unwrap_or_default());
    let end = start + healed.keep;
    if end >= text.len() && healed.closers.is_empty() {
        return built.blocks;
    }
    // An address at the end grows on unless a space behind it was kept back too.
    let live = text.get(end..).is_none_or(|rest| !rest.starts_with(char::is_whitespace)).then_some(end);
    let mut whole = text.get(..end).unwrap_or_default().to_owned();
    whole.push_str(&healed.closers);
    build(&whole, references, live).blocks
}

/// Whether what comes next may belong to the spans of the last leaf.
fn may_go_on(text: &str, leaf: &Leaf) -> bool {
    let last = text.get(leaf.range.end..).is_some_and(|behind| behind.trim().is_empty());
    match leaf.kind {
        LeafKind::Paragraph => last && !ends_blank(text),
        LeafKind::Heading | LeafKind::Cell => last && !text.ends_with('\n'),
        LeafKind::Verbatim => false,
    }
}
