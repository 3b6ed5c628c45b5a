//! Highlights a growing text. The state of the lexer is kept at the start of the incomplete line, so each addition costs
//! only itself and that line.

use crate::language::Language;
use crate::lexer::Lexer;
use crate::marks::{Marks, Span};

/// The maximum number of bytes read of a line. Longer lines are not written by hand, and each addition reads the
/// incomplete line again from its start.
const LINE: usize = 4_096;

#[derive(Clone, Debug)]
pub struct Highlighter {
    lexer: Lexer,
    /// The incomplete line, up to the maximum.
    line: String,
    /// The length of the whole incomplete line.
    length: usize,
}

impl Highlighter {
    pub fn new(language: Language) -> Self {
        Self { lexer: Lexer::new(language), line: String::new(), length: 0 }
    }

    /// Appends to the text. Returns the spans from the start of the line that was incomplete, relative to that start;
    /// the spans of earlier lines do not change.
    pub fn push(&mut self, added: &str) -> Vec<Span> {
        let (mut marks, mut spans) = (Marks::default(), Vec::new());
        let mut start = 0;
        for piece in added.split_inclusive('\n') {
            let content = piece.strip_suffix('\n').unwrap_or(piece);
            // After the maximum the rest of the line is ignored.
            if self.line.len() == self.length {
                let end = content.floor_char_boundary(LINE.saturating_sub(self.length));
                self.line.push_str(content.get(..end).unwrap_or_default());
            }
            self.length += piece.len();
            if piece.ends_with('\n') {
                self.lexer.line(&self.line, &mut marks);
                marks.drain_into(&self.line, start, &mut spans);
                start += self.length;
                self.length = 0;
                self.line.clear();
            }
        }
        if !self.line.is_empty() {
            self.lexer.clone().line(&self.line, &mut marks);
            marks.drain_into(&self.line, start, &mut spans);
        }
        spans
    }
}
