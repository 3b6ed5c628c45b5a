//! For tests only: what can be seen of blocks, in one line, in reading order. Everything is named where it begins and
//! nowhere else, so that what is shown of a text that grows is a prefix of what is shown in the end.

use super::{Block, Inline};

pub fn shape(blocks: &[Block]) -> String {
    let mut shape = String::new();
    add_blocks(blocks, &mut shape);
    shape
}

pub fn kinds(blocks: &[Block]) -> Vec<String> {
    let first_word = |block: &Block| shape(std::slice::from_ref(block)).split(':').next().unwrap().to_owned();
    blocks.iter().map(first_word).collect()
}

fn add_blocks(blocks: &[Block], shape: &mut String) {
    for block in blocks {
        match block {
            Block::Paragraph(content) => add("¶:", content, shape),
            Block::Heading { level, content } => add(&format!("h{level}:"), content, shape),
            Block::Code { language, text } => shape.push_str(&format!("code {language}:{text}")),
            Block::List { start, items } => {
                shape.push_str(&start.map_or("list:".to_owned(), |start| format!("list {start}:")));
                for item in items {
                    shape.push_str(match item.task {
                        None => "•",
                        Some(false) => "☐",
                        Some(true) => "☑",
                    });
                    add_blocks(&item.blocks, shape);
                }
            }
            Block::Quote(blocks) => {
                shape.push_str("quote:");
                add_blocks(blocks, shape);
            }
            Block::Table(table) => {
                shape.push_str("table:");
                for cell in table.header.iter().chain(table.rows.iter().flatten()) {
                    if !cell.is_empty() {
                        add("|", cell, shape);
                    }
                }
            }
            Block::Rule => shape.push_str("rule:"),
            Block::Source(text) => shape.push_str(&format!("source:{text}")),
        }
    }
}

fn add(name: &str, content: &[Inline], shape: &mut String) {
    shape.push_str(name);
    for inline in content {
        match inline {
            Inline::Text(text) => shape.push_str(text),
            Inline::Code(text) => shape.push_str(&format!("`{text}")),
            Inline::Strong(content) => add("‹b›", content, shape),
            Inline::Emphasis(content) => add("‹i›", content, shape),
            Inline::Strikethrough(content) => add("‹s›", content, shape),
            Inline::Link { content, .. } => add("‹a›", content, shape),
            Inline::Image { source, alt, .. } => {
                shape.push_str(&format!("‹img {}›{alt}", source.as_deref().unwrap_or_default()));
            }
            Inline::SoftBreak => shape.push(' '),
            Inline::HardBreak => shape.push('↵'),
        }
    }
}
