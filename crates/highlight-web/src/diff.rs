//! Colours the lines of a diff: removed lines as part of the old file, all others as part of the new one. Words that are
//! marked inside of a line keep the text colour, which is readable on the mark's background.

use pilothouse_highlight::{Highlighter, Span};
use web_sys::Element;

use super::{LONGEST, highlighter_of, lines, pending};

/// Classes of the elements that the page builds.
const LINE: &str = "diff-text";
const ADDED: &str = "added";
const REMOVED: &str = "removed";
/// The class of a remark about the line, which is not part of the file.
const REMARK: &str = "faint";

/// Colours each line when it comes near the view.
pub fn colour(diff: &Element) {
    let (Some(mut before), Some(mut now)) = (highlighter_of(diff), highlighter_of(diff)) else { return };
    if lines::text(diff).len() > LONGEST {
        return;
    }
    for line in children(diff) {
        let classes = line.class_name();
        let is = |class: &str| classes.split(' ').any(|name| name == class);
        if is(LINE) {
            let text = parts(&line).map(|part| lines::text(&part)).collect::<String>() + "\n";
            let push = |side: &mut Highlighter, is_in_file: bool| is_in_file.then(|| side.push(&text));
            let (old, new) = (push(&mut before, !is(ADDED)), push(&mut now, !is(REMOVED)));
            pending::add(line, new.or(old).unwrap_or_default());
        }
    }
}

/// Colours a line.
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

/// Removes the colours of a line and returns its spans.
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
