//! The DOM nodes of lines. A group contains text nodes and coloured elements in the order of the text. An incomplete
//! line is an element: the last child of the last group.

use pilothouse_highlight::{Class, LINES, Span, pieces};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Document, Element, Node};

use super::{GROUP, diff, pending};

/// The class of an incomplete line.
const OPEN_LINE: &str = "code-open-line";

pub fn text(element: &Element) -> String {
    element.text_content().unwrap_or_default()
}

/// Appends text. Spans are relative to the start of the incomplete line.
pub fn append(code: &Element, added: &str, spans: &[Span]) {
    let line = take_open_line(code) + added;
    let last = code.last_element_child();
    let lines = last.as_ref().map_or(0, |group| text(group).matches('\n').count());
    let mut group = last.filter(|_| lines < LINES);
    let (mut start, mut spans) = (0, spans);
    for piece in pieces(&line, lines) {
        let end = start + piece.len();
        let (own, others) = spans.split_at(spans.partition_point(|span| span.start < end));
        write(&group.take().unwrap_or_else(|| add_group(code)), piece, start, own);
        (start, spans) = (end, others);
    }
}

/// Rebuilds a group, or a line of a diff, with coloured spans.
pub fn colour(group: &Element, spans: &[Span]) {
    if group.class_name() != GROUP {
        return diff::paint(group, spans);
    }
    let text = text(group);
    group.set_text_content(None);
    write(group, &text, 0, spans);
}

/// Rebuilds an element that is complete, with coloured spans.
pub fn rewrite(part: &Element, spans: &[Span]) {
    let text = text(part);
    part.set_text_content(None);
    write_pieces(part, &text, 0, spans);
}

/// Removes the colours of a group and returns its spans.
pub fn fade(group: &Element) -> Vec<Span> {
    if group.class_name() != GROUP {
        return diff::fade(group);
    }
    let mut spans = Vec::new();
    collect(group, 0, &mut spans);
    if !spans.is_empty() {
        group.set_text_content(Some(&text(group)));
    }
    spans
}

/// Collects the spans below an element whose text starts at `start`.
pub fn collect(parent: &Element, mut start: usize, spans: &mut Vec<Span>) {
    let mut next = parent.first_child();
    while let Some(child) = next {
        next = child.next_sibling();
        let end = start + child.text_content().unwrap_or_default().len();
        match child.dyn_ref::<Element>().map(|element| (element, class_named(&element.class_name()))) {
            Some((_, Some(class))) => spans.push(Span { start, end, class }),
            Some((line, None)) => collect(line, start, spans),
            None => {}
        }
        start = end;
    }
}

/// Removes the incomplete line and returns its text.
fn take_open_line(code: &Element) -> String {
    let Some(last) = code.last_element_child().and_then(|group| group.last_child()) else {
        return String::new();
    };
    match last.dyn_into::<Element>() {
        Ok(line) if line.class_name() == OPEN_LINE => {
            line.remove();
            text(&line)
        }
        Ok(_) => String::new(),
        // A text node that was never coloured because it has no spans.
        Err(plain) => {
            let shown = plain.text_content().unwrap_or_default();
            let (lines, line) = shown.split_at(shown.rfind('\n').map_or(0, |place| place + 1));
            plain.set_text_content(Some(lines));
            line.to_owned()
        }
    }
}

/// Calls `take` with each group and its spans, relative to its start.
pub fn by_group(code: &Element, spans: Vec<Span>, mut take: impl FnMut(Element, Vec<Span>)) {
    let mut spans = spans.into_iter().peekable();
    let (mut start, mut next) = (0, code.first_element_child());
    while let Some(group) = next {
        let end = start + text(&group).len();
        let mut own = Vec::new();
        while let Some(span) = spans.next_if(|span| span.start < end) {
            own.push(Span { start: span.start - start, end: span.end - start, ..span });
        }
        next = group.next_element_sibling();
        take(group, own);
        start = end;
    }
}

/// Appends a text whose spans are relative to `start` bytes before it.
fn write(group: &Element, text: &str, start: usize, spans: &[Span]) {
    let complete = text.rfind('\n').map_or(0, |place| place + 1);
    let (lines, open) = text.split_at(complete);
    let (of_lines, of_open) = spans.split_at(spans.partition_point(|span| span.start < start + complete));
    write_pieces(group, lines, start, of_lines);
    if !open.is_empty() {
        let line = element("span", OPEN_LINE);
        write_pieces(&line, open, start + complete, of_open);
        add(group, &line);
    }
}

fn write_pieces(parent: &Element, text: &str, start: usize, spans: &[Span]) {
    let mut at = 0;
    let plain = |from: usize, to: usize| {
        if let Some(text) = text.get(from..to).filter(|text| !text.is_empty()) {
            add(parent, &document().create_text_node(text));
        }
    };
    for span in spans {
        let (from, to) = (span.start.saturating_sub(start), span.end.saturating_sub(start));
        // Spans that do not fit the text are ignored.
        let Some(content) = text.get(from..to).filter(|_| from >= at) else { continue };
        plain(at, from);
        let part = element("span", class_name(span.class));
        part.set_text_content(Some(content));
        add(parent, &part);
        at = to;
    }
    plain(at, text.len());
}

/// The classes in the style sheet.
const CLASSES: [(Class, &str); 13] = [
    (Class::Comment, "code-comment"),
    (Class::Keyword, "code-keyword"),
    (Class::Text, "code-string"),
    (Class::Number, "code-number"),
    (Class::Constant, "code-constant"),
    (Class::Function, "code-function"),
    (Class::Type, "code-type"),
    (Class::Property, "code-property"),
    (Class::Tag, "code-tag"),
    (Class::Meta, "code-meta"),
    (Class::Heading, "code-heading"),
    (Class::Inserted, "code-inserted"),
    (Class::Deleted, "code-deleted"),
];

fn class_name(class: Class) -> &'static str {
    CLASSES.iter().find(|(known, _)| *known == class).map_or("", |(_, name)| name)
}

fn class_named(name: &str) -> Option<Class> {
    CLASSES.iter().find(|(_, known)| *known == name).map(|(class, _)| *class)
}

fn add_group(code: &Element) -> Element {
    let group = element("span", GROUP);
    add(code, &group);
    pending::watch(&group);
    group
}

/// Creates an element. This fails only for invalid names.
fn element(tag: &str, class: &str) -> Element {
    let element = document().create_element(tag).unwrap_or_else(JsCast::unchecked_into);
    element.set_class_name(class);
    element
}

fn add(parent: &Node, child: &Node) {
    let _ = parent.append_child(child);
}

fn document() -> Document {
    web_sys::window()
        .and_then(|window| window.document())
        .unwrap_or_else(|| JsValue::UNDEFINED.unchecked_into())
}
