//! From the parser's events to blocks. Nothing here recurses, and what it makes is never nested deeper than
//! `MARKDOWN_DEPTH`, so that no text can exhaust the stack of whoever walks, copies or drops the result.
//!
//! The spans inside a block are made by `spans`.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};

use super::parse::{Leaf, LeafKind};
use super::references::References;
use super::spans::Spans;
use super::{Alignment, Block, Inline, Item, Table};
use crate::limits::MARKDOWN_DEPTH;

enum Container {
    Quote(Vec<Block>),
    List { start: Option<u64>, items: Vec<Item> },
    Item(Item),
}

pub struct Builder<'a> {
    root: Vec<Block>,
    containers: Vec<Container>,
    /// Containers that are open beyond the depth allowed.
    too_deep: usize,
    spans: Spans<'a>,
    /// The paragraph that is open, whether the parser said so or, in a tight list, did not.
    paragraph: Option<Range<usize>>,
    /// The text of the block of code or HTML that is open.
    verbatim: Option<String>,
    language: String,
    table: Table,
    row: Vec<Vec<Inline>>,
    leaf: Option<Leaf>,
}

impl<'a> Builder<'a> {
    pub fn new(references: &'a References, live: Option<usize>) -> Self {
        Self {
            root: Vec::new(),
            containers: Vec::new(),
            too_deep: 0,
            spans: Spans::new(references, live),
            paragraph: None,
            verbatim: None,
            language: String::new(),
            table: Table::default(),
            row: Vec::new(),
            leaf: None,
        }
    }

    pub fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Rule => {
                self.close_paragraph();
                self.push(Block::Rule);
                self.set_leaf(LeafKind::Verbatim, range);
            }
            Event::TaskListMarker(done) => match self.containers.last_mut() {
                Some(Container::Item(item)) if self.too_deep == 0 => item.task = Some(done),
                _ => self.spans.raw(if done { "[x] " } else { "[ ] " }),
            },
            Event::Text(text) | Event::Html(text) if self.verbatim.is_some() => {
                if let Some(verbatim) = &mut self.verbatim {
                    verbatim.push_str(&text);
                }
            }
            inline => {
                self.inside_paragraph(&range);
                self.spans.take(inline, &range);
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Paragraph => {
                self.close_paragraph();
                self.paragraph = Some(range);
            }
            Tag::Heading { .. } | Tag::TableCell => self.close_paragraph(),
            Tag::BlockQuote(_) => self.open(Container::Quote(Vec::new()), 1),
            Tag::List(start) => self.open(Container::List { start, items: Vec::new() }, 2),
            Tag::Item => self.open(Container::Item(Item::default()), 1),
            Tag::CodeBlock(kind) => {
                self.close_paragraph();
                self.verbatim = Some(String::new());
                self.language = match kind {
                    CodeBlockKind::Fenced(info) => language(&info),
                    CodeBlockKind::Indented => String::new(),
                };
            }
            Tag::HtmlBlock => {
                self.close_paragraph();
                self.verbatim = Some(String::new());
            }
            Tag::Table(alignments) => {
                self.close_paragraph();
                self.table.alignments = alignments.into_iter().map(alignment).collect();
            }
            Tag::TableHead | Tag::TableRow => {}
            span => {
                self.inside_paragraph(&range);
                self.spans.open(span);
            }
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Paragraph => self.close_paragraph(),
            TagEnd::Heading(level) => {
                let content = self.spans.finish();
                self.push(Block::Heading { level: level as u8, content });
                self.set_leaf(LeafKind::Heading, range);
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item => self.close(),
            TagEnd::CodeBlock => {
                let text = self.take_verbatim();
                let language = std::mem::take(&mut self.language);
                self.push(Block::Code { language, text });
                self.set_leaf(LeafKind::Verbatim, range);
            }
            TagEnd::HtmlBlock => {
                let text = self.take_verbatim();
                self.push(Block::Source(text));
                self.set_leaf(LeafKind::Verbatim, range);
            }
            TagEnd::TableCell => {
                let content = self.spans.finish();
                self.row.push(content);
                // Cells that are missing in a row are made up by the parser, out of nothing.
                if !range.is_empty() {
                    self.set_leaf(LeafKind::Cell, range);
                }
            }
            TagEnd::TableHead => self.table.header = std::mem::take(&mut self.row),
            TagEnd::TableRow => self.table.rows.push(std::mem::take(&mut self.row)),
            TagEnd::Table => {
                let table = std::mem::take(&mut self.table);
                self.push(Block::Table(table));
            }
            span => self.spans.close(span),
        }
    }

    /// The text of a tight list's item stands in no paragraph of the parser's.
    fn inside_paragraph(&mut self, range: &Range<usize>) {
        let elsewhere = !matches!(self.containers.last(), Some(Container::Item(_))) && self.too_deep == 0;
        match &mut self.paragraph {
            Some(paragraph) => paragraph.end = paragraph.end.max(range.end),
            None if elsewhere => {}
            None => self.paragraph = Some(range.clone()),
        }
    }

    fn close_paragraph(&mut self) {
        if let Some(range) = self.paragraph.take() {
            let content = self.spans.finish();
            self.push(Block::Paragraph(content));
            self.set_leaf(LeafKind::Paragraph, range);
        }
    }

    fn open(&mut self, container: Container, levels: usize) {
        self.close_paragraph();
        let is_item = matches!(container, Container::Item(_));
        // A list is only taken in together with its items.
        if self.too_deep > 0 || (!is_item && self.containers.len() + levels > MARKDOWN_DEPTH) {
            self.too_deep += 1;
        } else {
            self.containers.push(container);
        }
    }

    fn close(&mut self) {
        self.close_paragraph();
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        match self.containers.pop() {
            Some(Container::Quote(blocks)) => self.push(Block::Quote(blocks)),
            Some(Container::List { start, items }) => self.push(Block::List { start, items }),
            Some(Container::Item(item)) => {
                if let Some(Container::List { items, .. }) = self.containers.last_mut() {
                    items.push(item);
                }
            }
            None => {}
        }
    }

    fn push(&mut self, block: Block) {
        match self.containers.last_mut() {
            Some(Container::Quote(blocks) | Container::Item(Item { blocks, .. })) => blocks.push(block),
            Some(Container::List { .. }) | None => self.root.push(block),
        }
    }

    fn set_leaf(&mut self, kind: LeafKind, range: Range<usize>) {
        self.leaf = Some(Leaf { kind, range });
    }

    fn take_verbatim(&mut self) -> String {
        let mut text = self.verbatim.take().unwrap_or_default();
        if text.ends_with('\n') {
            text.pop();
        }
        text
    }

    pub fn finish(mut self) -> (Vec<Block>, Option<Leaf>) {
        self.close_paragraph();
        (self.root, self.leaf)
    }
}

/// The first word of a fence's info string.
pub fn language(info: &str) -> String {
    info.split(|character: char| character.is_whitespace() || character == ',')
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn alignment(parsed: pulldown_cmark::Alignment) -> Alignment {
    match parsed {
        pulldown_cmark::Alignment::None => Alignment::None,
        pulldown_cmark::Alignment::Left => Alignment::Left,
        pulldown_cmark::Alignment::Center => Alignment::Center,
        pulldown_cmark::Alignment::Right => Alignment::Right,
    }
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
