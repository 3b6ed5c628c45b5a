//! The spans found in a line.

use crate::class::Class;
use crate::cursor::is_blank;

/// A classified part of a text, as a range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub end: usize,
    pub class: Class,
}

/// The spans of one line.
#[derive(Debug, Default)]
pub struct Marks {
    marks: Vec<Span>,
}

impl Marks {
    /// Adds a span. Spans are added in order; an overlap with the previous one is cut off.
    pub fn add(&mut self, start: usize, end: usize, class: Class) {
        let start = start.max(self.marks.last().map_or(0, |last| last.end));
        if start < end {
            self.marks.push(Span { start, end, class });
        }
    }

    /// Moves the spans of a line that starts at byte `offset` of the text. Neighbours of the same class that are
    /// separated only by blanks are merged, since the colour of a blank is invisible.
    pub fn drain_into(&mut self, line: &str, offset: usize, spans: &mut Vec<Span>) {
        let are_one = |span: &Span, next: &Span| {
            let between = line.get(span.end..next.start);
            span.class == next.class && between.is_some_and(|between| between.bytes().all(is_blank))
        };
        let mut marks = self.marks.drain(..).peekable();
        while let Some(mut span) = marks.next() {
            while let Some(next) = marks.next_if(|next| are_one(&span, next)) {
                span.end = next.end;
            }
            spans.push(Span { start: offset + span.start, end: offset + span.end, ..span });
        }
    }
}
