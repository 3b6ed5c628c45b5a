//! The lines of a change, in the colours of the file they belong to: those taken away as it was, all others as it is
//! now. What is marked inside a line keeps the colour of text, the one that can be read on every mark.

use pilothouse_highlight::{Highlighter, Span};
use web_sys::Element;

use super::{LONGEST, highlighter_of, lines, waiting};

/// As the page builds a line: behind its number, with a sign before its parts.
const LINE: &str = "diff-text";
const ADDED: &str = "added";
const REMOVED: &str = "removed";
/// A part that is said of the line and does not stand in the file.
const REMARK: &str = "faint";

/// Colours each line as it comes near the view.
pub fn colour(change: &Element) {
    let (Some(mut before), Some(mut now)) = (highlighter_of(change), highlighter_of(change)) else { return };
    if lines::text(change).len() > LONGEST {
        return;
    }
    for line in children(change) {
        let classes = line.class_name();
        let is = |class: &str| classes.split(' ').any(|name| name == class);
        if is(LINE) {
            let text = parts(&line).map(|part| lines::text(&part)).collect::<String>() + "\n";
            let push = |side: &mut Highlighter, stands: bool| stands.then(|| side.push(&text));
            let (old, new) = (push(&mut before, !is(ADDED)), push(&mut now, !is(REMOVED)));
            waiting::add(line, new.or(old).unwrap_or_default());
        }
    }
}

/// Gives a line its colours.
pub fn paint(line: &Element, spans: &[Span]) {
    let mut start = 0;
    for part in parts(line) {
        let end = start + lines::text(&part).len();
        let within = |span: &Span| {
            let (from, to) = (span.start.max(start), span.end.min(end));
            (from < to).then(|| Span { start: from - start, end: to - start, ..*span })
        };
        let own: Vec<Span> = spans.iter().filter_map(within).collect();
        if part.tag_name() != "MARK" && !own.is_empty() {
            lines::rewrite(&part, &own);
        }
        start = end;
    }
}

/// Takes the colours of a line away, and tells which they were.
pub fn fade(line: &Element) -> Vec<Span> {
    let (mut start, mut spans) = (0, Vec::new());
    for part in parts(line) {
        let text = lines::text(&part);
        let before = spans.len();
        lines::collect(&part, start, &mut spans);
        if spans.len() > before {
            part.set_text_content(Some(&text));
        }
        start += text.len();
    }
    spans
}

fn parts(line: &Element) -> impl Iterator<Item = Element> {
    children(line).filter(|part| part.class_name() != REMARK)
}

fn children(parent: &Element) -> impl Iterator<Item = Element> {
    std::iter::successors(parent.first_element_child(), Element::next_element_sibling)
}
