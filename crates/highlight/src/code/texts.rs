//! Strings and comments.

use super::Code;
use super::frames::Frame;
use super::own_ends::{character, delimited, dollars, hashed, here_document, is_here_end, long_bracket};
use crate::class::Class;
use crate::cursor::Cursor;
use crate::marks::Marks;
use crate::tables::{OwnEnds, Quote};

impl Code {
    pub(super) fn begins_comment(&mut self, cursor: &mut Cursor, marks: &mut Marks) -> bool {
        let start = cursor.at;
        if let Some((open, _)) = self.rules.block_comment
            && cursor.take(open)
        {
            marks.add(start, cursor.at, Class::Comment);
            self.frames.push(Frame::Comment { depth: 1 });
            return true;
        }
        if self.rules.spaced_comments && !matches!(cursor.behind(1), 0 | b' ' | b'\t') {
            return false;
        }
        let Some(mark) = self.rules.line_comments.iter().find(|mark| cursor.starts_with(mark)) else {
            return false;
        };
        cursor.at += mark.len();
        if self.rules.own_ends == OwnEnds::Lua
            && let Some(end) = long_bracket(cursor)
        {
            marks.add(start, cursor.at, Class::Comment);
            self.frames.push(Frame::Until { end, whole_line: false, class: Class::Comment });
            return true;
        }
        cursor.finish();
        marks.add(start, cursor.at, Class::Comment);
        true
    }

    pub(super) fn comment(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        let (start, nested) = (cursor.at, self.rules.nested_comments);
        let Some((open, close)) = self.rules.block_comment else { return self.frames.pop() };
        while !cursor.is_done() {
            let Some(Frame::Comment { depth }) = self.frames.top_mut() else { break };
            if cursor.take(close) {
                *depth -= 1;
                if *depth == 0 {
                    self.frames.pop();
                    break;
                }
            } else if nested && cursor.take(open) {
                *depth += 1;
            } else {
                cursor.bump();
            }
        }
        marks.add(start, cursor.at, Class::Comment);
    }

    pub(super) fn begins_text(&mut self, cursor: &mut Cursor, marks: &mut Marks) -> bool {
        let start = cursor.at;
        if self.rules.ticks && cursor.peek() == b'\'' {
            let class = if character(cursor) { Class::Text } else { Class::Meta };
            marks.add(start, cursor.at, class);
            self.after_value = true;
            return true;
        }
        if self.begins_text_with_own_end(cursor) {
            marks.add(start, cursor.at, Class::Text);
            return true;
        }
        let Some(quote) = self.quote_at(cursor) else { return false };
        self.open(quote, quote.escapes, quote.hole, cursor, start, marks);
        true
    }

    /// Reads a string whose prefix was read as a word.
    pub(super) fn begins_prefixed_text(
        &mut self,
        cursor: &mut Cursor,
        marks: &mut Marks,
        start: usize,
    ) -> bool {
        let word = cursor.since(start);
        if !matches!(cursor.peek(), b'"' | b'\'' | b'#') || word.len() > 3 {
            return false;
        }
        let end = match self.rules.own_ends {
            OwnEnds::Rust if matches!(word, "r" | "br" | "cr") => hashed(cursor),
            OwnEnds::Cpp if word.ends_with('R') => delimited(cursor),
            _ => None,
        };
        if let Some(end) = end {
            marks.add(start, cursor.at, Class::Text);
            return self.frames.push(Frame::Until { end, whole_line: false, class: Class::Text });
        }
        let prefix = self.rules.prefixes.iter().find(|prefix| prefix.word.eq_ignore_ascii_case(word));
        let (Some(prefix), Some(quote)) = (prefix, self.quote_at(cursor)) else { return false };
        self.open(quote, prefix.escapes, prefix.hole, cursor, start, marks);
        true
    }

    fn quote_at(&self, cursor: &Cursor) -> Option<&'static Quote> {
        self.rules.quotes.iter().find(|quote| cursor.starts_with(quote.open))
    }

    fn open(
        &mut self,
        quote: &'static Quote,
        escapes: bool,
        hole: &'static str,
        cursor: &mut Cursor,
        start: usize,
        marks: &mut Marks,
    ) {
        cursor.at += quote.open.len();
        if self.frames.push(Frame::Text { quote, escapes, hole }) {
            self.text_from(start, cursor, marks);
        }
    }

    pub(super) fn text(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        self.text_from(cursor.at, cursor, marks);
    }

    fn text_from(&mut self, start: usize, cursor: &mut Cursor, marks: &mut Marks) {
        let Some(Frame::Text { quote, escapes, hole }) = self.frames.top() else { return };
        let (quote, escapes, hole) = (*quote, *escapes, *hole);
        let mut class = Class::Text;
        while !cursor.is_done() {
            if cursor.take(quote.close) {
                self.frames.pop();
                self.after_value = true;
                if self.rules.keys && cursor.peek() == b':' {
                    class = Class::Property;
                }
                break;
            }
            if cursor.starts_with(hole) {
                let bracket = hole.as_bytes().iter().copied().find(|byte| matches!(byte, b'(' | b'{'));
                // `{{` is an escaped bracket.
                if hole == "{" && cursor.ahead(1) == b'{' {
                    cursor.at += 2;
                    continue;
                }
                let open = bracket.unwrap_or(b'{');
                let close = if open == b'(' { b')' } else { b'}' };
                if self.frames.push(Frame::Hole { open, close, depth: 0 }) {
                    cursor.at += bracket_end(hole);
                    self.after_value = false;
                    break;
                }
            } else if escapes && cursor.peek() == b'\\' {
                cursor.bump();
            }
            cursor.bump();
        }
        marks.add(start, cursor.at, class);
    }

    fn begins_text_with_own_end(&mut self, cursor: &mut Cursor) -> bool {
        let end = match (self.rules.own_ends, cursor.peek()) {
            (OwnEnds::Lua, b'[') => long_bracket(cursor),
            (OwnEnds::Sql, b'$') => dollars(cursor),
            (OwnEnds::Swift, b'#') => hashed(cursor),
            (OwnEnds::Ruby | OwnEnds::Php, b'<') => {
                let is_php = self.rules.own_ends == OwnEnds::Php;
                // In Ruby, `<<` without `~` or `-` is an operator.
                let Some(end) = here_document(cursor, if is_php { "<<<" } else { "<<" }, is_php) else {
                    return false;
                };
                let frame = Frame::Until { end, whole_line: true, class: Class::Text };
                self.frames.push_at_next_line(frame);
                return true;
            }
            _ => None,
        };
        end.is_some_and(|end| self.frames.push(Frame::Until { end, whole_line: false, class: Class::Text }))
    }

    pub(super) fn text_with_own_end(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        let start = cursor.at;
        let Some(Frame::Until { end, whole_line, class }) = self.frames.top() else { return };
        let class = *class;
        let mut ends = false;
        if *whole_line {
            ends = is_here_end(cursor.rest(), end);
            cursor.finish();
        }
        while !cursor.is_done() && !ends {
            ends = cursor.take(end);
            if !ends {
                cursor.bump();
            }
        }
        marks.add(start, cursor.at, class);
        if ends {
            self.frames.pop();
            self.after_value = true;
        }
    }
}

fn bracket_end(hole: &str) -> usize {
    hole.find(['(', '{']).map_or(hole.len(), |place| place + 1)
}
