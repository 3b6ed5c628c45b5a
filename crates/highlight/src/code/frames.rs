//! The stack of open constructs: comments, strings, code inside of strings, elements. The innermost is on top.

use crate::class::Class;
use crate::tables::Quote;

/// The maximum nesting; deeper constructs are not tracked.
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
    /// A string or comment that ends with `end`; with `whole_line`, that must be a line of its own.
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
    /// The frame that starts with the next line.
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

    /// Returns false if the stack is full.
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

    /// Counts the brackets in a hole. Returns whether this one closes it.
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

    /// Closes strings that end with the line, and everything inside of them.
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
