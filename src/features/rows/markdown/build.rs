//! Blocks and spans as elements and text nodes. Every block is one element and every span one node, in their order,
//! so that `patch` finds them again by counting.

use leptos::prelude::document;
use pilothouse_core::render::markdown::{Alignment, Block, Inline, Item, Table};
use web_sys::{Element, Node};

use super::code_block;
pub use crate::dom::element::{add, element, set, with_class, with_text};

pub fn block(block: &Block) -> Element {
    match block {
        Block::Paragraph(content) => with_inlines("p", content),
        // Below the headings of the page itself.
        Block::Heading { level, content } => {
            let heading =
                with_inlines(["h3", "h4", "h5", "h6"][usize::from(*level).clamp(1, 4) - 1], content);
            set(&heading, "data-level", &level.to_string());
            heading
        }
        Block::Code { language, text } => code_block::block(language, text),
        Block::List { start, items } => list(*start, items),
        Block::Quote(blocks) => with_blocks("blockquote", blocks),
        Block::Table(content) => table(content),
        Block::Rule => element("hr"),
        Block::Source(text) => with_text("pre", "source", text),
    }
}

pub fn item(item: &Item) -> Element {
    let line = element("li");
    if let Some(done) = item.task {
        line.set_class_name("task");
        let mark = with_text("span", "task-mark", if done { "☑" } else { "☐" });
        set(&mark, "role", "img");
        set(&mark, "aria-label", if done { "done" } else { "to do" });
        add(&line, &mark);
    }
    item.blocks.iter().for_each(|content| add(&line, &block(content)));
    line
}

pub fn row(cells: &[Vec<Inline>], alignments: &[Alignment], tag: &str) -> Element {
    let row = element("tr");
    for (column, content) in cells.iter().enumerate() {
        let cell = with_inlines(tag, content);
        let class = match alignments.get(column) {
            Some(Alignment::Center) => "center",
            Some(Alignment::Right) => "right",
            _ => "",
        };
        if !class.is_empty() {
            cell.set_class_name(class);
        }
        add(&row, &cell);
    }
    row
}

pub fn inline(inline: &Inline) -> Node {
    match inline {
        Inline::Text(text) => document().create_text_node(text).into(),
        Inline::SoftBreak => document().create_text_node("\n").into(),
        Inline::HardBreak => element("br").into(),
        Inline::Code(text) => with_text("code", "", text).into(),
        Inline::Strong(content) => with_inlines("strong", content).into(),
        Inline::Emphasis(content) => with_inlines("em", content).into(),
        Inline::Strikethrough(content) => with_inlines("del", content).into(),
        Inline::Link { href, title, content } => {
            let link = with_inlines("a", content);
            point(&link, href.as_deref(), title);
            link.into()
        }
        // Nothing is fetched from elsewhere by showing a text: a picture is a link to it.
        Inline::Image { source, alt, title } => {
            let link = with_text("a", "picture", if alt.is_empty() { "image" } else { alt });
            point(&link, source.as_deref(), title);
            link.into()
        }
    }
}

/// Where a link leads; one that is not to be followed leads nowhere.
pub fn point(link: &Element, destination: Option<&str>, title: &str) {
    match destination {
        Some(destination) => {
            set(link, "href", destination);
            set(link, "target", "_blank");
            set(link, "rel", "noopener noreferrer");
        }
        None => drop(link.remove_attribute("href")),
    }
    if !title.is_empty() {
        set(link, "title", title);
    }
}

fn list(start: Option<u64>, items: &[Item]) -> Element {
    let list = element(if start.is_some() { "ol" } else { "ul" });
    if let Some(start) = start.filter(|start| *start != 1) {
        set(&list, "start", &start.to_string());
    }
    items.iter().for_each(|content| add(&list, &item(content)));
    list
}

/// Wide tables scroll by themselves.
fn table(content: &Table) -> Element {
    let (frame, table) = (element("div"), element("table"));
    frame.set_class_name("table-frame");
    set(&frame, "tabindex", "0");
    let (head, body) = (element("thead"), element("tbody"));
    add(&head, &row(&content.header, &content.alignments, "th"));
    content.rows.iter().for_each(|cells| add(&body, &row(cells, &content.alignments, "td")));
    add(&table, &head);
    add(&table, &body);
    add(&frame, &table);
    frame
}

fn with_inlines(tag: &str, content: &[Inline]) -> Element {
    let parent = element(tag);
    content.iter().for_each(|content| add(&parent, &inline(content)));
    parent
}

fn with_blocks(tag: &str, content: &[Block]) -> Element {
    let parent = element(tag);
    content.iter().for_each(|content| add(&parent, &block(content)));
    parent
}
