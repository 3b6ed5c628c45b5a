//! Builds the DOM nodes of blocks and inlines. Each block is one element and each inline one node, in order, so that
//! `patch` finds them by index.

use leptos::prelude::document;
use pilothouse_core::render::markdown::{Alignment, Block, Inline, Item, Table};
use web_sys::{Element, Node};

use super::code_block;
use crate::dom::element::{append, element, set, with_text};

pub fn block(block: &Block) -> Element {
    match block {
        Block::Paragraph(content) => with_inlines("p", content),
        // The page itself uses h1 and h2.
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
    let list_item = element("li");
    if let Some(done) = item.task {
        list_item.set_class_name("task");
        let mark = with_text("span", "task-mark", if done { "☑" } else { "☐" });
        set(&mark, "role", "img");
        set(&mark, "aria-label", if done { "Done" } else { "To do" });
        append(&list_item, &mark);
    }
    item.blocks.iter().for_each(|content| append(&list_item, &block(content)));
    list_item
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
        append(&row, &cell);
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
            set_destination(&link, href.as_deref(), title);
            link.into()
        }
        // Rendering a text must not fetch anything from other hosts, so an image becomes a link.
        Inline::Image { source, alt, title } => {
            let link = with_text("a", "picture", if alt.is_empty() { "image" } else { alt });
            set_destination(&link, source.as_deref(), title);
            link.into()
        }
    }
}

/// Sets the target of a link; an unsafe one has no destination and gets no `href`.
pub fn set_destination(link: &Element, destination: Option<&str>, title: &str) {
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
    items.iter().for_each(|content| append(&list, &item(content)));
    list
}

/// A table in a frame, in which wide tables scroll.
fn table(content: &Table) -> Element {
    let (frame, table) = (element("div"), element("table"));
    frame.set_class_name("table-frame");
    set(&frame, "tabindex", "0");
    let (head, body) = (element("thead"), element("tbody"));
    append(&head, &row(&content.header, &content.alignments, "th"));
    content.rows.iter().for_each(|cells| append(&body, &row(cells, &content.alignments, "td")));
    append(&table, &head);
    append(&table, &body);
    append(&frame, &table);
    frame
}

fn with_inlines(tag: &str, content: &[Inline]) -> Element {
    let parent = element(tag);
    content.iter().for_each(|content| append(&parent, &inline(content)));
    parent
}

fn with_blocks(tag: &str, content: &[Block]) -> Element {
    let parent = element(tag);
    content.iter().for_each(|content| append(&parent, &block(content)));
    parent
}
