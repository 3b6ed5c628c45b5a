//! The visible text of Markdown, without its markup and without the destinations of links.

use super::{Block, Inline, Item};

/// The visible text. Each block and each table cell is a line; a soft line break is a space.
pub fn plain_text(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    super::parse_blocks(text).iter().for_each(|block| add_block(block, &mut plain));
    plain
}

/// Recursion is safe: blocks are never nested deeper than `MARKDOWN_DEPTH`.
fn add_block(block: &Block, plain: &mut String) {
    match block {
        Block::Paragraph(content) | Block::Heading { content, .. } => add_line(content, plain),
        Block::Code { text, .. } | Block::Source(text) => {
            plain.push_str(text);
            plain.push('\n');
        }
        Block::List { items, .. } => {
            items.iter().flat_map(|Item { blocks, .. }| blocks).for_each(|block| add_block(block, plain));
        }
        Block::Quote(blocks) => blocks.iter().for_each(|block| add_block(block, plain)),
        Block::Table(table) => {
            let rows = std::iter::once(&table.header).chain(&table.rows);
            rows.flatten().for_each(|cell| add_line(cell, plain));
        }
        Block::Rule => {}
    }
}

fn add_line(content: &[Inline], plain: &mut String) {
    content.iter().for_each(|inline| add_inline(inline, plain));
    plain.push('\n');
}

fn add_inline(inline: &Inline, plain: &mut String) {
    match inline {
        Inline::Text(text) | Inline::Code(text) | Inline::Image { alt: text, .. } => plain.push_str(text),
        Inline::Strong(content)
        | Inline::Emphasis(content)
        | Inline::Strikethrough(content)
        | Inline::Link { content, .. } => content.iter().for_each(|inline| add_inline(inline, plain)),
        Inline::SoftBreak => plain.push(' '),
        Inline::HardBreak => plain.push('\n'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_visible_text_remains() {
        let text = "# A *very* **important**\nword\n\nsoft\nbreak of [a link](https://example.org/secret) and `code`\n\n\
                    > - one\n> - two\n\n| a | b |\n|---|---|\n| c | d |\n\n```rust\nlet x;\n```\n\n![alt](x.png)\n\n---\n";
        let visible =
            "A very important\nword\nsoft break of a link and code\none\ntwo\na\nb\nc\nd\nlet x;\nalt\n";
        assert_eq!(plain_text(text), visible);
    }
}
