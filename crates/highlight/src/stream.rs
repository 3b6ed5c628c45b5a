//! A text that grows. What a line begins in (a comment, a string) is remembered at the last line that is complete, so
//! that only what is added and the line it is added to are looked at again.

use crate::language::Language;
use crate::lexer::Lexer;
use crate::marks::{Marks, Span};

/// So many bytes of a line are looked at: what is longer was not written for people, and a line that grows is looked
/// at from its start each time.
const LINE: usize = 4_096;

#[derive(Clone, Debug)]
pub struct Highlighter {
    lexer: Lexer,
    /// The line that is not complete, as far as it is looked at, and its whole length.
    line: String,
    length: usize,
}

impl Highlighter {
    pub fn new(language: Language) -> Self {
        Self { lexer: Lexer::new(language), line: String::new(), length: 0 }
    }

    /// Adds to the text. Tells the parts of the line that this was added to and of all lines behind it, counted from
    /// that line's start; the parts of the lines before it stay what they were.
    pub fn push(&mut self, added: &str) -> Vec<Span> {
        let (mut marks, mut spans) = (Marks::default(), Vec::new());
        let mut start = 0;
        for piece in added.split_inclusive('\n') {
            let content = piece.strip_suffix('\n').unwrap_or(piece);
            // Once a part of it was left out, the rest is.
            if self.line.len() == self.length {
                let end = content.floor_char_boundary(LINE.saturating_sub(self.length));
                self.line.push_str(content.get(..end).unwrap_or_default());
            }
            self.length += piece.len();
            if piece.ends_with('\n') {
                self.lexer.line(&self.line, &mut marks);
                marks.tell(&self.line, start, &mut spans);
                start += self.length;
                self.length = 0;
                self.line.clear();
            }
        }
        if !self.line.is_empty() {
            self.lexer.clone().line(&self.line, &mut marks);
            marks.tell(&self.line, start, &mut spans);
        }
        spans
    }
}
