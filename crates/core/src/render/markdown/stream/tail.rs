//! Builds the blocks of the unfinished text: removes undecided lines, completes unfinished spans, and parses the
//! result.

use super::heal::heal;
use super::hold;
use super::split::ends_with_blank_line;
use crate::render::markdown::Block;
use crate::render::markdown::parse::{Leaf, LeafKind, parse};
use crate::render::markdown::references::References;

/// The blocks to show for a text that still grows.
pub fn blocks(text: &str, references: &References) -> Vec<Block> {
    let mut text = without_undecided_line(text);
    let mut line_dropped = false;
    loop {
        let mut parsed = parse(text, references, Some(text.len()));
        if let Some(start) = hold::possible_table_header(text, parsed.leaf.as_ref()) {
            text = up_to(text, start);
            parsed = parse(text, references, Some(text.len()));
        }
        let Some(leaf) = parsed.leaf.filter(|leaf| may_continue(text, leaf)) else { return parsed.blocks };
        let start = leaf.range.start;
        let healed = heal(text.get(start..).unwrap_or_default());
        let kept = up_to(text, start + healed.keep);
        if kept.len() == text.len() && healed.closers.is_empty() {
            return parsed.blocks;
        }
        // Only the leading markers of the last line may be left, which are held back too. This happens at most
        // once: the lines before are complete and are shown as they are.
        let decided = without_undecided_line(kept);
        if healed.closers.is_empty() && decided.len() < kept.len() {
            if line_dropped {
                return parsed.blocks;
            }
            line_dropped = true;
            text = decided;
            continue;
        }
        // An address at the end still grows, unless white space after it was removed.
        let grows = text.get(kept.len()..).is_none_or(|rest| !rest.starts_with(char::is_whitespace));
        let completed = kept.to_owned() + &healed.closers;
        return parse(&completed, references, grows.then_some(kept.len())).blocks;
    }
}

fn without_undecided_line(text: &str) -> &str {
    let line = text.rfind('\n').map_or(0, |newline| newline + 1);
    if text.get(line..).is_some_and(hold::is_undecided) { up_to(text, line) } else { text }
}

fn up_to(text: &str, end: usize) -> &str {
    text.get(..end).unwrap_or_default()
}

/// Whether later text may continue the last leaf.
fn may_continue(text: &str, leaf: &Leaf) -> bool {
    let last = text.get(leaf.range.end..).is_some_and(|after| after.trim().is_empty());
    match leaf.kind {
        LeafKind::Paragraph => last && !ends_with_blank_line(text),
        LeafKind::Heading | LeafKind::Cell => last && !text.ends_with('\n'),
        LeafKind::Verbatim => false,
    }
}

#[cfg(test)]
#[path = "tail_tests.rs"]
mod tests;
