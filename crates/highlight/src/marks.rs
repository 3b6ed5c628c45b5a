//! The parts found in a line.

use crate::class::Class;
use crate::cursor::is_blank;

/// A part of a text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub end: usize,
    pub class: Class,
}

/// The parts of one line.
#[derive(Debug, Default)]
pub struct Marks {
    marks: Vec<Span>,
}

impl Marks {
    /// Parts come in their order. What would reach back into the last one is cut off.
    pub fn add(&mut self, start: usize, end: usize, class: Class) {
        let start = start.max(self.marks.last().map_or(0, |last| last.end));
        if start < end {
            self.marks.push(Span { start, end, class });
        }
    }

    /// Tells the parts of a line that begins `offset` bytes into the text, and forgets them. Neighbours of one class
    /// with only blanks between them are one part: nobody sees the colour of a blank.
    pub fn tell(&mut self, line: &str, offset: usize, spans: &mut Vec<Span>) {
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
