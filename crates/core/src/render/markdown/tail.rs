//! What is shown of the text that is not finished: a text in which nothing is half written, parsed like any other.

use super::Block;
use super::heal::heal;
use super::hold;
use super::parse::{Leaf, LeafKind, build};
use super::references::References;
use super::split::ends_blank;

/// The blocks to show for a text that still grows.
pub fn blocks(text: &str, references: &References) -> Vec<Block> {
    let mut text = without_undecided_line(text);
    let mut line_dropped = false;
    loop {
        let mut built = build(text, references, Some(text.len()));
        if let Some(start) = hold::table_header(text, built.leaf.as_ref()) {
            text = up_to(text, start);
            built = build(text, references, Some(text.len()));
        }
        let Some(leaf) = built.leaf.filter(|leaf| may_go_on(text, leaf)) else { return built.blocks };
        let start = leaf.range.start;
        let healed = heal(text.get(start..).unwrap_or_default());
        let kept = up_to(text, start + healed.keep);
        if kept.len() == text.len() && healed.closers.is_empty() {
            return built.blocks;
        }
        // Of the last line there may be nothing left but the marks it begins with. Lines before it have ended, and
        // are shown as they are rather than dropped one after the other.
        let decided = without_undecided_line(kept);
        if healed.closers.is_empty() && decided.len() < kept.len() {
            if line_dropped {
                return built.blocks;
            }
            line_dropped = true;
            text = decided;
            continue;
        }
        // An address at the end grows on unless a space behind it was kept back too.
        let grows = text.get(kept.len()..).is_none_or(|rest| !rest.starts_with(char::is_whitespace));
        let whole = kept.to_owned() + &healed.closers;
        return build(&whole, references, grows.then_some(kept.len())).blocks;
    }
}

fn without_undecided_line(text: &str) -> &str {
    let line = text.rfind('\n').map_or(0, |newline| newline + 1);
    if text.get(line..).is_some_and(hold::undecided) { up_to(text, line) } else { text }
}

fn up_to(text: &str, end: usize) -> &str {
    text.get(..end).unwrap_or_default()
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

#[cfg(test)]
#[path = "tail_tests.rs"]
mod tests;
