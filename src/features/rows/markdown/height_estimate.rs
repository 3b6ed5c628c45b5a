//! Estimates the height of blocks that are not built. Building them corrects the height without moving the view.

use pilothouse_core::render::markdown::{Block, Inline, Item};

/// Letters per line, at the full width of the text.
const LETTERS: usize = 95;

// Heights in pixels: a line of text, a line of code, the space around a block, the bar and border of a code block.
const LINE: usize = 25;
const CODE_LINE: usize = 20;
const SPACE: usize = 11;
const CODE_FRAME: usize = 52;

pub fn height(block: &Block) -> f64 {
    pixels(block) as f64
}

fn pixels(block: &Block) -> usize {
    let inner = match block {
        Block::Paragraph(content) | Block::Heading { content, .. } => {
            letters(content).div_ceil(LETTERS).max(1) * LINE
        }
        Block::Code { text, .. } => text.lines().count() * CODE_LINE + CODE_FRAME,
        Block::List { items, .. } => items.iter().map(item).sum(),
        Block::Quote(blocks) => blocks.iter().map(pixels).sum(),
        Block::Table(table) => (table.rows.len() + 1) * (LINE + SPACE),
        Block::Rule => LINE,
        Block::Source(text) => text.lines().count() * CODE_LINE,
    };
    inner + SPACE
}

fn item(item: &Item) -> usize {
    // List items are closer together than paragraphs.
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

    fn estimate(text: &str) -> usize {
        parse_blocks(text).iter().map(pixels).sum()
    }

    #[test]
    fn longer_texts_are_higher() {
        assert!(estimate(&"word ".repeat(100)) > 4 * LINE);
        assert!(estimate(&format!("```\n{}```", "line\n".repeat(40))) >= 40 * CODE_LINE);
        assert!(estimate("- one\n- two\n- three") > estimate("- one"));
        assert!(estimate("| a |\n|---|\n| 1 |\n| 2 |") > estimate("| a |\n|---|\n| 1 |"));
    }
}
