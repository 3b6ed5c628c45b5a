//! Parses Markdown into blocks, also while it streams: finished blocks stay as they are, and only the live tail
//! changes.
//!
//! The blocks are plain data. Neither this module nor the page produces HTML from them: raw HTML is shown as text,
//! a link has a destination only if `link::followable` allows it, and nothing is fetched.
//!
//! - `parse` turns a text into blocks, `spans` the text of a block into inline content.
//! - `references` stores link definitions across the pieces of a streamed text.
//! - `link` decides where links may lead; `bare_link` finds addresses in plain text.
//! - `stream` parses a text that grows.
//! - `plain_text` extracts the visible text.

mod bare_link;
mod link;
mod parse;
mod plain_text;
mod references;
mod spans;
mod stream;
#[cfg(test)]
mod test_support;

pub use plain_text::plain_text;
pub use stream::{MarkdownStream, Progress};

/// A block of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    Paragraph(Vec<Inline>),
    Heading {
        level: u8,
        content: Vec<Inline>,
    },
    /// A block of code. The text does not include the line break before the closing fence.
    Code {
        language: String,
        text: String,
    },
    /// A list, ordered if it has a start. Tight and loose lists are alike: an item's text is always in a
    /// paragraph.
    List {
        start: Option<u64>,
        items: Vec<Item>,
    },
    Quote(Vec<Block>),
    Table(Table),
    Rule,
    /// A block of HTML, shown as source text.
    Source(String),
}

/// An item of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    /// Whether the task is done, if the item is a task.
    pub task: Option<bool>,
    pub blocks: Vec<Block>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub alignments: Vec<Alignment>,
    pub header: Vec<Vec<Inline>>,
    pub rows: Vec<Vec<Vec<Inline>>>,
}

/// The alignment of a table column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alignment {
    #[default]
    None,
    Left,
    Center,
    Right,
}

/// Inline content of a block.
#[derive(Clone, Debug, PartialEq)]
pub enum Inline {
    Text(String),
    Code(String),
    Strong(Vec<Inline>),
    Emphasis(Vec<Inline>),
    Strikethrough(Vec<Inline>),
    /// A link. Without a destination it cannot be followed: the destination is not allowed or not known yet.
    Link {
        href: Option<String>,
        title: String,
        content: Vec<Inline>,
    },
    /// An image. The page loads it only when the user asks for it.
    Image {
        source: Option<String>,
        alt: String,
        title: String,
    },
    SoftBreak,
    HardBreak,
}

/// The blocks of a complete text. A finished [`MarkdownStream`] of the same text has the same blocks.
pub fn parse_blocks(text: &str) -> Vec<Block> {
    parse::parse(text, &references::References::default(), None).blocks
}
