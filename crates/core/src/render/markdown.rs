//! Markdown that arrives in pieces: finished blocks once, and one live tail.
//!
//! What lives here is plain data and the way to it. No HTML is ever made of it, neither here nor by the page: raw
//! HTML is text, a link has a destination only if `link::followable` says so, and nothing is fetched.
//!
//! - `parse` and `tree` make blocks of one text, `references` remembers what links refer to across texts,
//! - `split` and `fence` say what is finished, `hold`, `heal` and `tail` how the rest is shown,
//! - `stream` puts them together, and `plain` takes all of it away again.

mod bare_link;
mod destination;
mod fence;
mod heal;
mod hold;
pub mod link;
mod marks;
mod parse;
mod plain;
mod references;
#[cfg(test)]
mod shape;
mod spans;
mod split;
mod stream;
mod tail;
mod tree;

pub use plain::plain;
pub use stream::{MarkdownStream, Progress};

#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    Paragraph(Vec<Inline>),
    Heading {
        level: u8,
        content: Vec<Inline>,
    },
    /// The text is without the line break before the closing fence.
    Code {
        language: String,
        text: String,
    },
    /// Ordered if it has a start. Tight and loose lists are the same: an item's text is always in a paragraph.
    List {
        start: Option<u64>,
        items: Vec<Item>,
    },
    Quote(Vec<Block>),
    Table(Table),
    Rule,
    /// A block of HTML, to be shown as it was written.
    Source(String),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    /// Whether the task is done, if the item is one.
    pub task: Option<bool>,
    pub blocks: Vec<Block>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub alignments: Vec<Alignment>,
    pub header: Vec<Vec<Inline>>,
    pub rows: Vec<Vec<Vec<Inline>>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alignment {
    #[default]
    None,
    Left,
    Center,
    Right,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Inline {
    Text(String),
    Code(String),
    Strong(Vec<Inline>),
    Emphasis(Vec<Inline>),
    Strikethrough(Vec<Inline>),
    /// Without a destination it is not to be followed: it is refused, or not yet known.
    Link {
        href: Option<String>,
        title: String,
        content: Vec<Inline>,
    },
    /// Never loaded by itself, only when somebody asks for it, and never without a source.
    Image {
        source: Option<String>,
        alt: String,
        title: String,
    },
    SoftBreak,
    HardBreak,
}

/// The blocks of a whole text, by one parse of all of it. A stream of the same text ends with the same blocks.
pub fn whole(text: &str) -> Vec<Block> {
    parse::build(text, &references::References::default(), None).blocks
}
