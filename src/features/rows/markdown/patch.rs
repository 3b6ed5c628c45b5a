//! Patches rendered blocks to match a changed text. Unchanged nodes are kept, so that the selection survives and nothing
//! is repainted.

use pilothouse_core::render::markdown::{Block, Inline, Item, Table};
use wasm_bindgen::JsCast;
use web_sys::{Element, Node, Text};

use super::{build, code_block};
use crate::dom::element::append;
use crate::features::rows::code;

/// Patches the children of `parent` from index `first` on, which render `old`, to render `new`.
fn blocks(parent: &Element, first: usize, old: &[Block], new: &[&Block]) {
    for (position, (old, new)) in old.iter().zip(new).enumerate() {
        if old != *new
            && !child(parent, first + position).is_some_and(|node| block(node.unchecked_ref(), old, new))
        {
            replace(parent, first + position, &build::block(new));
        }
    }
    truncate(parent, first + new.len());
    new.iter().skip(old.len()).for_each(|block| append(parent, &build::block(block)));
}

/// Appends text to an open code block.
pub fn append_code(block: &Element, added: &str) {
    if !added.is_empty()
        && let Some(text) = code_block::code_element(block)
    {
        code::append(&text, added);
    }
}

fn replace(parent: &Element, position: usize, by: &Node) {
    match child(parent, position) {
        Some(node) => drop(parent.replace_child(by, &node)),
        None => append(parent, by),
    }
}

/// Patches a block's element. Returns false if the blocks are too different; then the caller must build a new element.
pub fn block(element: &Element, old: &Block, new: &Block) -> bool {
    match (old, new) {
        (Block::Paragraph(old), Block::Paragraph(new)) => inlines(element, old, new),
        (Block::Heading { level, content }, Block::Heading { level: new_level, content: new })
            if level == new_level =>
        {
            inlines(element, content, new)
        }
        (Block::Quote(old), Block::Quote(new)) => blocks(element, 0, old, &new.iter().collect::<Vec<_>>()),
        (Block::List { start, items }, Block::List { start: new_start, items: new })
            if start == new_start =>
        {
            list(element, items, new)
        }
        (Block::Table(old), Block::Table(new)) if old.header == new.header => {
            return table(element, old, new);
        }
        (Block::Code { language, .. }, Block::Code { language: new_language, text })
            if language == new_language =>
        {
            let Some(node) = code_block::code_element(element) else { return false };
            code::set(&node, text);
        }
        _ => return false,
    }
    true
}

fn list(element: &Element, old: &[Item], new: &[Item]) {
    for (position, (old, new)) in old.iter().zip(new).enumerate() {
        if old == new {
            continue;
        }
        match child(element, position) {
            Some(list_item) if old.task == new.task => {
                let first = usize::from(new.task.is_some());
                blocks(list_item.unchecked_ref(), first, &old.blocks, &new.blocks.iter().collect::<Vec<_>>());
            }
            _ => replace(element, position, &build::item(new)),
        }
    }
    truncate(element, new.len());
    new.iter().skip(old.len()).for_each(|item| append(element, &build::item(item)));
}

fn table(frame: &Element, old: &Table, new: &Table) -> bool {
    let body = frame.first_element_child().and_then(|table| table.last_element_child());
    let Some(body) = body.filter(|_| old.alignments == new.alignments) else { return false };
    for (position, (old, cells)) in old.rows.iter().zip(&new.rows).enumerate() {
        if old == cells {
            continue;
        }
        match child(&body, position).filter(|_| old.len() == cells.len()) {
            Some(row) => {
                for (column, (old, new)) in old.iter().zip(cells).enumerate() {
                    if let Some(cell) = child(row.unchecked_ref(), column).filter(|_| old != new) {
                        inlines(cell.unchecked_ref(), old, new);
                    }
                }
            }
            None => replace(&body, position, &build::row(cells, &new.alignments, "td")),
        }
    }
    truncate(&body, new.rows.len());
    let added = new.rows.iter().skip(old.rows.len());
    added.for_each(|cells| append(&body, &build::row(cells, &new.alignments, "td")));
    true
}

fn inlines(parent: &Element, old: &[Inline], new: &[Inline]) {
    for (position, (old, new)) in old.iter().zip(new).enumerate() {
        if old != new && !child(parent, position).is_some_and(|node| inline(&node, old, new)) {
            replace(parent, position, &build::inline(new));
        }
    }
    truncate(parent, new.len());
    new.iter().skip(old.len()).for_each(|inline| append(parent, &build::inline(inline)));
}

fn inline(node: &Node, old: &Inline, new: &Inline) -> bool {
    let element: &Element = node.unchecked_ref();
    match (old, new) {
        (Inline::Text(old), Inline::Text(new)) => return text(node.dyn_ref(), old, new),
        (Inline::Code(old), Inline::Code(new)) => {
            return text(node.first_child().as_ref().and_then(JsCast::dyn_ref), old, new);
        }
        (Inline::Strong(old), Inline::Strong(new))
        | (Inline::Emphasis(old), Inline::Emphasis(new))
        | (Inline::Strikethrough(old), Inline::Strikethrough(new)) => inlines(element, old, new),
        (Inline::Link { content, .. }, Inline::Link { href, title, content: new }) => {
            build::set_destination(element, href.as_deref(), title);
            inlines(element, content, new);
        }
        _ => return false,
    }
    true
}

fn text(node: Option<&Text>, old: &str, new: &str) -> bool {
    let Some(node) = node else { return false };
    match new.strip_prefix(old) {
        Some(added) => drop(node.append_data(added)),
        None => node.set_data(new),
    }
    true
}

pub fn child(parent: &Element, position: usize) -> Option<Node> {
    parent.child_nodes().item(u32::try_from(position).ok()?)
}

/// Removes the children from index `length` on.
pub fn truncate(parent: &Element, length: usize) {
    while let Some(surplus) = child(parent, length) {
        let _ = parent.remove_child(&surplus);
    }
}
