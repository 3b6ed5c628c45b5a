//! Parses Markdown into blocks with pulldown-cmark. `spans` builds the inline content of a block.
//!
//! The builder does not recurse, and blocks are never nested deeper than `MARKDOWN_DEPTH`. No text can therefore
//! exhaust the stack of code that walks, copies or drops the result.

use std::ops::Range;

use pulldown_cmark::{BrokenLink, CodeBlockKind, CowStr, Event, OffsetIter, Options, Parser, Tag, TagEnd};

use super::references::{Definition, References, definitions};
use super::spans::SpanBuilder;
use super::{Alignment, Block, Inline, Item, Table};
use crate::limits::MARKDOWN_DEPTH;

/// The result of a parse.
pub struct ParsedText {
    pub blocks: Vec<Block>,
    /// The last block or table cell that contains no other blocks.
    pub leaf: Option<Leaf>,
    pub definitions: Vec<(String, Definition)>,
    /// Labels that are used but not defined so far.
    pub missing: Vec<String>,
}

/// A block without blocks inside, and its range in the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    pub kind: LeafKind,
    pub range: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafKind {
    Paragraph,
    /// The inline content ends with its line.
    Heading,
    Cell,
    /// Code, HTML or a rule, without inline content.
    Verbatim,
}

/// Returns destination and title for a label that the text does not define.
pub type Resolve<'r, 'a> = dyn FnMut(BrokenLink<'a>) -> Option<(CowStr<'a>, CowStr<'a>)> + 'r;

/// The parser's events. All callers use the same callback type, because the parser is compiled once for each type.
pub fn events<'r, 'a>(
    text: &'a str,
    resolve: &'r mut Resolve<'r, 'a>,
) -> OffsetIter<'a, &'r mut Resolve<'r, 'a>> {
    #[cfg(test)]
    crate::render::work::add(text.len());
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    Parser::new_with_broken_link_callback(text, options, Some(resolve)).into_offset_iter()
}

/// Parses a text. `references` are the definitions that precede it. `live` is the end of a text that still grows:
/// a bare address that reaches it gets no destination yet.
pub fn parse(text: &str, references: &References, live: Option<usize>) -> ParsedText {
    let mut missing = Vec::new();
    let mut resolve = |broken: BrokenLink<'_>| -> Option<(CowStr<'_>, CowStr<'_>)> {
        match references.get(&broken.reference) {
            Some(known) => Some((known.destination.clone().into(), known.title.clone().into())),
            None => {
                missing.push(broken.reference.to_string());
                None
            }
        }
    };
    let events = events(text, &mut resolve);
    let definitions = definitions(events.reference_definitions());
    let mut builder = BlockBuilder::new(references, live);
    for (event, range) in events {
        builder.push_event(event, range);
    }
    let (blocks, leaf) = builder.finish();
    ParsedText { blocks, leaf, definitions, missing }
}

enum Container {
    Quote(Vec<Block>),
    List { start: Option<u64>, items: Vec<Item> },
    Item(Item),
}

/// Builds blocks from the parser's events.
struct BlockBuilder<'a> {
    root: Vec<Block>,
    containers: Vec<Container>,
    /// The number of open containers beyond the maximum depth.
    too_deep: usize,
    spans: SpanBuilder<'a>,
    /// The range of the open paragraph. In a tight list the parser does not report it.
    paragraph: Option<Range<usize>>,
    /// The text of the open block of code or HTML.
    verbatim: Option<String>,
    language: String,
    table: Table,
    row: Vec<Vec<Inline>>,
    leaf: Option<Leaf>,
}

impl<'a> BlockBuilder<'a> {
    fn new(references: &'a References, live: Option<usize>) -> Self {
        Self {
            root: Vec::new(),
            containers: Vec::new(),
            too_deep: 0,
            spans: SpanBuilder::new(references, live),
            paragraph: None,
            verbatim: None,
            language: String::new(),
            table: Table::default(),
            row: Vec::new(),
            leaf: None,
        }
    }

    fn push_event(&mut self, event: Event<'_>, range: Range<usize>) {
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
                _ => self.spans.push_raw(if done { "[x] " } else { "[ ] " }),
            },
            Event::Text(text) | Event::Html(text) if self.verbatim.is_some() => {
                if let Some(verbatim) = &mut self.verbatim {
                    verbatim.push_str(&text);
                }
            }
            inline => {
                self.extend_paragraph(&range);
                self.spans.push_event(inline, &range);
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
                self.extend_paragraph(&range);
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
                // The parser adds empty cells to rows that are too short.
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

    /// Extends the open paragraph. In an item of a tight list, for which the parser reports none, opens one.
    fn extend_paragraph(&mut self, range: &Range<usize>) {
        let in_item = matches!(self.containers.last(), Some(Container::Item(_))) || self.too_deep > 0;
        match &mut self.paragraph {
            Some(paragraph) => paragraph.end = paragraph.end.max(range.end),
            None if !in_item => {}
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
        // A list must fit together with its items.
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

    fn finish(mut self) -> (Vec<Block>, Option<Leaf>) {
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
#[path = "parse_tests.rs"]
mod tests;
