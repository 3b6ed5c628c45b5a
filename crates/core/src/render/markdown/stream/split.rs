//! Finds where a growing text can be split: later text cannot change the part before the split, and both parts
//! parse separately as they do together. Only complete lines count.

use std::ops::Range;

use pulldown_cmark::{Event, Tag};

use crate::render::markdown::parse::events;

/// The role of a top-level block for a split.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    /// A paragraph, a table or an underlined heading, which all begin like a paragraph.
    Text,
    /// A block that its first line identifies, independent of the lines before.
    Marked,
    Quote,
    List,
    /// Blank lines do not end it.
    Verbatim,
}

/// The number of bytes of these lines that are finished. `next_line` is the known part of the line that follows.
pub fn finished_len(lines: &str, next_line: &str) -> usize {
    let mut cut = 0;
    let mut last: Option<(BlockKind, Range<usize>)> = None;
    let mut depth = 0usize;
    for (event, range) in events(lines, &mut |_| None) {
        let kind = match &event {
            Event::Start(tag) if depth == 0 => kind_of(tag, lines, &range),
            Event::Rule if depth == 0 => Some(BlockKind::Marked),
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
        _ if !ends_with_blank_line(lines) => false,
        // An unindented word after a blank line does not continue the list.
        Some((BlockKind::List, _)) => next_line.starts_with(char::is_alphabetic),
        Some((BlockKind::Verbatim, _)) => false,
        Some(_) | None => true,
    };
    if ended { lines.len() } else { cut }
}

fn kind_of(tag: &Tag<'_>, lines: &str, range: &Range<usize>) -> Option<BlockKind> {
    Some(match tag {
        Tag::Heading { .. } if lines.get(range.start..).is_some_and(|rest| rest.starts_with('#')) => {
            BlockKind::Marked
        }
        Tag::Paragraph | Tag::Table(_) | Tag::Heading { .. } => BlockKind::Text,
        Tag::BlockQuote(_) => BlockKind::Quote,
        Tag::List(_) => BlockKind::List,
        Tag::CodeBlock(_) | Tag::HtmlBlock => BlockKind::Verbatim,
        _ => return None,
    })
}

/// The start of the block's first line, if the text can be split there.
fn cut_before(
    lines: &str,
    kind: BlockKind,
    range: &Range<usize>,
    last: Option<&(BlockKind, Range<usize>)>,
) -> Option<usize> {
    let before = lines.get(..range.start)?.trim_end_matches([' ', '\t']);
    let start = before.len();
    if start > 0 && !before.ends_with('\n') {
        return None;
    }
    // A line directly after a definition may become the definition's title. The parser's ranges of lists and
    // quotes do not show whether a definition follows them.
    let between = match last {
        Some((BlockKind::List | BlockKind::Quote, _)) => None,
        Some((_, last)) => lines.get(last.end..start),
        None => lines.get(..start),
    };
    let clear = kind != BlockKind::Text
        || ends_with_blank_line(before)
        || between.is_some_and(|gap| gap.trim().is_empty());
    clear.then_some(start)
}

/// Whether the last of these complete lines is blank.
pub fn ends_with_blank_line(lines: &str) -> bool {
    let Some(lines) = lines.strip_suffix('\n') else { return lines.is_empty() };
    let lines = lines.strip_suffix('\r').unwrap_or(lines).trim_end_matches([' ', '\t']);
    lines.is_empty() || lines.ends_with('\n')
}
