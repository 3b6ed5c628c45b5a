//! Elements inside of code: `<Tag name="value">text {code}</Tag>`.

use super::Code;
use super::frames::Frame;
use crate::class::Class;
use crate::cursor::{Cursor, is_blank, is_word};
use crate::marks::Marks;
use crate::tables::Quote;

/// The quotes inside of tags, where a backslash does not escape.
static QUOTES: [Quote; 2] = [
    Quote { open: "\"", close: "\"", escapes: false, lines: true, hole: "" },
    Quote { open: "'", close: "'", escapes: false, lines: true, hole: "" },
];

impl Code {
    /// Reads the `<name` of an element where a value is expected; false if it is another `<`.
    pub(super) fn begins_element(&mut self, cursor: &mut Cursor, marks: &mut Marks) -> bool {
        let next = cursor.ahead(1);
        let place = cursor.at;
        if !(next.is_ascii_alphabetic() || next == b'>') {
            return false;
        }
        cursor.bump();
        let start = cursor.at;
        cursor.take_while(is_name);
        // `<T,>` and `<T extends …>` are type parameters.
        if cursor.peek() == b',' || cursor.starts_with(" extends ") {
            cursor.at = place;
            return false;
        }
        marks.add(start, cursor.at, Class::Tag);
        self.frames.push(Frame::Tag { is_end: false });
        true
    }

    pub(super) fn inside_tag(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        let start = cursor.at;
        match cursor.peek() {
            b'>' => {
                cursor.bump();
                let is_end = matches!(self.frames.top(), Some(Frame::Tag { is_end: true }));
                self.frames.pop();
                if !is_end {
                    self.frames.push(Frame::Children);
                } else if self.frames.top() == Some(&Frame::Children) {
                    self.frames.pop();
                }
                self.after_value = true;
            }
            b'/' if cursor.ahead(1) == b'>' => {
                cursor.at += 2;
                self.frames.pop();
                self.after_value = true;
            }
            b'{' => self.hole(cursor),
            byte if is_name(byte) => {
                cursor.take_while(is_name);
                marks.add(start, cursor.at, Class::Property);
            }
            byte if is_blank(byte) => cursor.skip_blanks(),
            _ => match QUOTES.iter().find(|quote| cursor.starts_with(quote.open)) {
                Some(quote) => {
                    self.frames.push(Frame::Text { quote, escapes: false, hole: "" });
                    cursor.bump();
                    marks.add(start, cursor.at, Class::Text);
                }
                None => cursor.bump(),
            },
        }
    }

    /// Skips the text between tags, which has no class.
    pub(super) fn children(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        cursor.take_while(|byte| !matches!(byte, b'<' | b'{'));
        match cursor.peek() {
            b'{' => self.hole(cursor),
            b'<' => {
                cursor.bump();
                let is_end = cursor.take("/");
                let start = cursor.at;
                cursor.take_while(is_name);
                marks.add(start, cursor.at, Class::Tag);
                self.frames.push(Frame::Tag { is_end });
            }
            _ => {}
        }
    }

    fn hole(&mut self, cursor: &mut Cursor) {
        cursor.bump();
        self.frames.push(Frame::Hole { open: b'{', close: b'}', depth: 0 });
        self.after_value = false;
    }
}

const fn is_name(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'-' | b'.' | b':')
}
