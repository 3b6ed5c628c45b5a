//! Where a text that still grows can be cut so that nothing before the cut can change any more, and so that both
//! parts parse alone as they do together. Looks at whole lines only.

use std::ops::Range;

use pulldown_cmark::{Event, Tag};

use super::parse::parse;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A paragraph, a table or an underlined heading: what starts like a paragraph.
    Text,
    /// A block that is known by its first line, whatever stands before it.
    Marked,
    Quote,
    List,
    /// Blank lines do not end it.
    Verbatim,
}

/// How many bytes of these whole lines are finished. `next_line` is as much of the line behind them as is known.
pub fn finished(lines: &str, next_line: &str) -> usize {
    let mut cut = 0;
    let mut last: Option<(Kind, Range<usize>)> = None;
    let mut depth = 0usize;
    for (event, range) in parse(lines, &mut |_| None) {
        let kind = match &event {
            Event::Start(tag) if depth == 0 => kind_of(tag, lines, &range),
            Event::Rule if depth == 0 => Some(Kind::Marked),
            _ => None,
        };
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if let Some(kind) = kind {
            if let Some(start) = cut_before(lines, kind, &range, last.as_ref()) {
                cut = start;
            }
            last = Some((kind, range));
        }
    }
    let ended = match last {
        _ if !ends_blank(lines) => false,
        // An unindented word behind a blank line is in no list.
        Some((Kind::List, _)) => next_line.starts_with(char::is_alphabetic),
        Some((Kind::Verbatim, _)) => false,
        Some(_) | None => true,
    };
    if ended { lines.len() } else { cut }
}

fn kind_of(tag: &Tag<'_>, lines: &str, range: &Range<usize>) -> Option<Kind> {
    Some(match tag {
        Tag::Heading { .. } if lines.get(range.start..).is_some_and(|rest| rest.starts_with('#')) => {
            Kind::Marked
        }
        Tag::Paragraph | Tag::Table(_) | Tag::Heading { .. } => Kind::Text,
        Tag::BlockQuote(_) => Kind::Quote,
        Tag::List(_) => Kind::List,
        Tag::CodeBlock(_) | Tag::HtmlBlock => Kind::Verbatim,
        _ => return None,
    })
}

/// The start of the line a block begins with, if the text can be cut there.
fn cut_before(
    lines: &str,
    kind: Kind,
    range: &Range<usize>,
    last: Option<&(Kind, Range<usize>)>,
) -> Option<usize> {
    let before = lines.get(..range.start)?.trim_end_matches([' ', '\t']);
    let start = before.len();
    if start > 0 && !before.ends_with('\n') {
        return None;
    }
    // Directly behind a definition a line reads as if it continued a paragraph, and may become the definition's
    // title. The ends the parser gives for lists and quotes do not tell whether a definition stands there.
    let between = match last {
        Some((Kind::List | Kind::Quote, _)) => None,
        Some((_, last)) => lines.get(last.end..start),
        None => lines.get(..start),
    };
    let clear = kind != Kind::Text || ends_blank(before) || between.is_some_and(|gap| gap.trim().is_empty());
    clear.then_some(start)
}

/// Whether the last line, which is whole, is blank.
pub fn ends_blank(lines: &str) -> bool {
    let Some(lines) = lines.strip_suffix('\n') else { return lines.is_empty() };
    let lines = lines.strip_suffix('\r').unwrap_or(lines).trim_end_matches([' ', '\t']);
    lines.is_empty() || lines.ends_with('\n')
}
