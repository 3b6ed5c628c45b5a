//! Lines as nodes. A group has up to so many lines as text and coloured elements, in the order of the text; a line that
//! is not complete is the last child of the last group, in an element of its own, so that it is found again.

use leptos::prelude::document;
use pilothouse_highlight::{Class, Span};
use wasm_bindgen::JsCast;
use web_sys::{Element, Text};

use super::build;

/// Lines of a group.
const LINES: usize = 16;

/// The class of a line that is not complete.
const OPEN_LINE: &str = "code-open-line";

/// Adds text without colours.
pub fn write_plain(code: &Element, text: &str) {
    let (mut group, mut room) = last_group(code);
    for piece in pieces_of_lines(text, room) {
        if room == 0 {
            group = add_group(code);
        }
        let last = group.last_child().and_then(|node| node.dyn_into::<Text>().ok());
        match last {
            Some(last) => drop(last.append_data(piece)),
            None => build::add(&group, &document().create_text_node(piece)),
        }
        room = 0;
    }
}

/// Adds text that begins at the start of a line, with its parts coloured.
pub fn write(code: &Element, text: &str, spans: &[Span]) {
    let (mut group, mut room) = last_group(code);
    let (mut start, mut spans) = (0, spans);
    for piece in pieces_of_lines(text, room) {
        if room == 0 {
            group = add_group(code);
        }
        let end = start + piece.len();
        let (own, others) = spans.split_at(spans.partition_point(|span| span.start < end));
        write_in(&group, piece, start, own);
        (start, spans, room) = (end, others, 0);
    }
}

/// Builds a group again, with the parts of its text coloured.
pub fn colour(group: &Element, spans: &[Span]) {
    let text = group.text_content().unwrap_or_default();
    group.set_text_content(None);
    write_in(group, &text, 0, spans);
}

/// Takes away the line that is not complete, and tells its text.
pub fn take_open_line(code: &Element) -> String {
    let line = code.last_element_child().and_then(|group| group.last_element_child());
    let Some(line) = line.filter(|line| line.class_name() == OPEN_LINE) else { return String::new() };
    line.remove();
    line.text_content().unwrap_or_default()
}

/// Hands out each group with its parts, counted from its start.
pub fn by_group(code: &Element, spans: Vec<Span>, mut take: impl FnMut(Element, Vec<Span>)) {
    let mut spans = spans.into_iter().peekable();
    let (mut start, mut next) = (0, code.first_element_child());
    while let Some(group) = next {
        let end = start + group.text_content().map_or(0, |text| text.len());
        let mut own = Vec::new();
        while let Some(span) = spans.next_if(|span| span.start < end) {
            own.push(Span { start: span.start - start, end: span.end - start, ..span });
        }
        next = group.next_element_sibling();
        take(group, own);
        start = end;
    }
}

/// Adds a text, which begins so far behind the place that spans are counted from.
fn write_in(group: &Element, text: &str, start: usize, spans: &[Span]) {
    let complete = text.rfind('\n').map_or(0, |place| place + 1);
    let (lines, open) = text.split_at(complete);
    let (of_lines, of_open) = spans.split_at(spans.partition_point(|span| span.start < start + complete));
    write_pieces(group, lines, start, of_lines);
    if !open.is_empty() {
        let line = build::element("span");
        line.set_class_name(OPEN_LINE);
        write_pieces(&line, open, start + complete, of_open);
        build::add(group, &line);
    }
}

fn write_pieces(parent: &Element, text: &str, start: usize, spans: &[Span]) {
    let mut at = 0;
    let plain = |from: usize, to: usize| {
        if let Some(text) = text.get(from..to).filter(|text| !text.is_empty()) {
            build::add(parent, &document().create_text_node(text));
        }
    };
    for span in spans {
        let (from, to) = (span.start.saturating_sub(start), span.end.saturating_sub(start));
        // What fits nowhere stays without colour.
        let Some(content) = text.get(from..to).filter(|_| from >= at) else { continue };
        plain(at, from);
        build::add(parent, &build::with_text("span", class_name(span.class), content));
        at = to;
    }
    plain(at, text.len());
}

/// As they stand in the style sheet.
const fn class_name(class: Class) -> &'static str {
    match class {
        Class::Comment => "code-comment",
        Class::Keyword => "code-keyword",
        Class::Text => "code-string",
        Class::Number => "code-number",
        Class::Constant => "code-constant",
        Class::Function => "code-function",
        Class::Type => "code-type",
        Class::Property => "code-property",
        Class::Tag => "code-tag",
        Class::Meta => "code-meta",
        Class::Heading => "code-heading",
        Class::Inserted => "code-inserted",
        Class::Deleted => "code-deleted",
    }
}

/// The group that is written to, and how many lines it has room for.
fn last_group(code: &Element) -> (Element, usize) {
    let group = code.last_element_child().unwrap_or_else(|| add_group(code));
    let lines = group.text_content().map_or(0, |text| text.matches('\n').count());
    (group, LINES.saturating_sub(lines))
}

fn add_group(code: &Element) -> Element {
    let group = build::element("span");
    group.set_class_name("code-lines");
    build::add(code, &group);
    group
}

/// The text in pieces of so many lines, the first of `room`.
fn pieces_of_lines(text: &str, room: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let mut room = if room == 0 { LINES } else { room };
    std::iter::from_fn(move || {
        let end = rest.match_indices('\n').nth(room - 1).map_or(rest.len(), |(place, _)| place + 1);
        let (piece, others) = rest.split_at(end);
        (rest, room) = (others, LINES);
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_has_as_many_lines_as_there_is_room_for() {
        let text = "line\n".repeat(40) + "open";
        let lines =
            |room| pieces_of_lines(&text, room).map(|piece| piece.lines().count()).collect::<Vec<_>>();
        assert_eq!(lines(3), [3, 16, 16, 6]);
        assert_eq!(lines(0), [16, 16, 9]);
        assert_eq!(pieces_of_lines("", 3).count(), 0);
        assert_eq!(pieces_of_lines(&text, 5).collect::<String>(), text);
    }
}
