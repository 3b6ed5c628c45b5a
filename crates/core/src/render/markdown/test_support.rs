//! A notation for blocks in the tests: one line, in reading order. Each element is named where it begins and
//! nowhere else, so the notation of a growing text is a prefix of the final one.

use super::{Block, Inline};

pub fn notation(blocks: &[Block]) -> String {
    let mut notation = String::new();
    add_blocks(blocks, &mut notation);
    notation
}

/// The kind of each block.
pub fn kinds(blocks: &[Block]) -> Vec<String> {
    let first_word =
        |block: &Block| notation(std::slice::from_ref(block)).split(':').next().unwrap().to_owned();
    blocks.iter().map(first_word).collect()
}

fn add_blocks(blocks: &[Block], notation: &mut String) {
    for block in blocks {
        match block {
            Block::Paragraph(content) => add("¶:", content, notation),
            Block::Heading { level, content } => add(&format!("h{level}:"), content, notation),
            Block::Code { language, text } => notation.push_str(&format!("code {language}:{text}")),
            Block::List { start, items } => {
                notation.push_str(&start.map_or("list:".to_owned(), |start| format!("list {start}:")));
                for item in items {
                    notation.push_str(match item.task {
                        None => "•",
                        Some(false) => "☐",
                        Some(true) => "☑",
                    });
                    add_blocks(&item.blocks, notation);
                }
            }
            Block::Quote(blocks) => {
                notation.push_str("quote:");
                add_blocks(blocks, notation);
            }
            Block::Table(table) => {
                notation.push_str("table:");
                for cell in table.header.iter().chain(table.rows.iter().flatten()) {
                    if !cell.is_empty() {
                        add("|", cell, notation);
                    }
                }
            }
            Block::Rule => notation.push_str("rule:"),
            Block::Source(text) => notation.push_str(&format!("source:{text}")),
        }
    }
}

fn add(name: &str, content: &[Inline], notation: &mut String) {
    notation.push_str(name);
    for inline in content {
        match inline {
            Inline::Text(text) => notation.push_str(text),
            Inline::Code(text) => notation.push_str(&format!("`{text}")),
            Inline::Strong(content) => add("‹b›", content, notation),
            Inline::Emphasis(content) => add("‹i›", content, notation),
            Inline::Strikethrough(content) => add("‹s›", content, notation),
            Inline::Link { content, .. } => add("‹a›", content, notation),
            Inline::Image { source, alt, .. } => {
                notation.push_str(&format!("‹img {}›{alt}", source.as_deref().unwrap_or_default()));
            }
            Inline::SoftBreak => notation.push(' '),
            Inline::HardBreak => notation.push('↵'),
        }
    }
}
