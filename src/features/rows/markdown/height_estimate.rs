//! How high a block will be, before it is built: a guess, put right without a jump when it is.

use pilothouse_core::render::markdown::{Block, Inline, Item};

/// Letters in a line of text, at the width that is read.
const LETTERS: usize = 95;

/// In pixels: a line of text, one of code, and what surrounds a block.
const LINE: usize = 25;
const CODE_LINE: usize = 20;
const SPACE: usize = 11;
/// The bar and the frame around code.
const FRAME: usize = 52;

pub fn height(block: &Block) -> f64 {
    pixels(block) as f64
}

fn pixels(block: &Block) -> usize {
    let inner = match block {
        Block::Paragraph(content) | Block::Heading { content, .. } => {
            letters(content).div_ceil(LETTERS).max(1) * LINE
        }
        Block::Code { text, .. } => text.lines().count() * CODE_LINE + FRAME,
        Block::List { items, .. } => items.iter().map(item).sum(),
        Block::Quote(blocks) => blocks.iter().map(pixels).sum(),
        Block::Table(table) => (table.rows.len() + 1) * (LINE + SPACE),
        Block::Rule => LINE,
        Block::Source(text) => text.lines().count() * CODE_LINE,
    };
    inner + SPACE
}

fn item(item: &Item) -> usize {
    // Lines of a list stand closer together than paragraphs.
    item.blocks.iter().map(pixels).sum::<usize>().saturating_sub(SPACE / 2)
}

fn letters(content: &[Inline]) -> usize {
    content
        .iter()
        .map(|inline| match inline {
            Inline::Text(text) | Inline::Code(text) => text.len(),
            Inline::Strong(content) | Inline::Emphasis(content) | Inline::Strikethrough(content) => {
                letters(content)
            }
            Inline::Link { content, .. } => letters(content),
            Inline::Image { alt, .. } => alt.len(),
            Inline::SoftBreak => 1,
            Inline::HardBreak => LETTERS,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use pilothouse_core::render::markdown::parse_blocks;

    use super::*;

    fn guess(text: &str) -> usize {
        parse_blocks(text).iter().map(pixels).sum()
    }

    #[test]
    fn what_is_longer_is_higher() {
        assert!(guess(&"word ".repeat(100)) > 4 * LINE);
        assert!(guess(&format!("```\n{}```", "line\n".repeat(40))) >= 40 * CODE_LINE);
        assert!(guess("- one\n- two\n- three") > guess("- one"));
        assert!(guess("| a |\n|---|\n| 1 |\n| 2 |") > guess("| a |\n|---|\n| 1 |"));
    }
}
