//! What stands open at a place: a comment, a string, the code inside a string, an element. The innermost is on top.

use crate::class::Class;
use crate::tables::Quote;

/// Nothing that people write goes deeper; what does is read as if it did not.
const DEEPEST: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    Comment {
        depth: usize,
    },
    Text {
        quote: &'static Quote,
        escapes: bool,
        hole: &'static str,
    },
    /// A string or comment that ends with these letters; those of `whole_line` stand alone on a line.
    Until {
        end: String,
        whole_line: bool,
        class: Class,
    },
    /// Code inside a string or an element, up to its closing bracket.
    Hole {
        open: u8,
        close: u8,
        depth: usize,
    },
    /// Between `<name` and `>`.
    Tag {
        is_end: bool,
    },
    /// Between two tags.
    Children,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frames {
    open: Vec<Frame>,
    /// Begins with the next line.
    next: Option<Frame>,
}

impl Frames {
    pub const fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    pub fn top(&self) -> Option<&Frame> {
        self.open.last()
    }

    pub fn top_mut(&mut self) -> Option<&mut Frame> {
        self.open.last_mut()
    }

    /// False if it is too deep.
    pub fn push(&mut self, frame: Frame) -> bool {
        let fits = self.open.len() < DEEPEST;
        if fits {
            self.open.push(frame);
        }
        fits
    }

    pub fn push_at_next_line(&mut self, frame: Frame) {
        self.next.get_or_insert(frame);
    }

    pub fn pop(&mut self) {
        self.open.pop();
    }

    /// Counts brackets in a hole. True if this one ends it.
    pub fn close_hole(&mut self, byte: u8) -> bool {
        let Some(Frame::Hole { open, close, depth }) = self.open.last_mut() else { return false };
        if byte == *open {
            *depth += 1;
        } else if byte == *close && *depth > 0 {
            *depth -= 1;
        } else if byte == *close {
            self.open.pop();
            return true;
        }
        false
    }

    /// A string of one line ends with it, and all that is inside.
    pub fn end_line(&mut self) {
        let ends = |frame: &Frame| matches!(frame, Frame::Text { quote, .. } if !quote.lines);
        if let Some(first) = self.open.iter().position(ends) {
            self.open.truncate(first);
        }
        if let Some(next) = self.next.take() {
            self.push(next);
        }
    }
}
