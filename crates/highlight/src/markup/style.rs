//! Style sheets: CSS, and the nesting and variables of SCSS and Less.

use crate::class::Class;
use crate::cursor::{Cursor, is_blank, is_word, starts_word};
use crate::marks::Marks;

#[derive(Clone, Debug, Default)]
pub struct Style {
    place: Place,
    in_comment: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// Before a property or a selector.
    #[default]
    Start,
    Selector,
    Value,
}

impl Style {
    pub fn line(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        while !cursor.is_done() {
            let start = cursor.at;
            if self.in_comment {
                self.comment(cursor, marks);
                continue;
            }
            match cursor.peek() {
                byte if is_blank(byte) => cursor.skip_blanks(),
                b'/' if cursor.ahead(1) == b'*' => {
                    cursor.at += 2;
                    marks.add(start, cursor.at, Class::Comment);
                    self.in_comment = true;
                }
                b'/' if cursor.ahead(1) == b'/' && cursor.behind(1) != b':' => {
                    cursor.finish();
                    marks.add(start, cursor.at, Class::Comment);
                }
                quote @ (b'"' | b'\'') => text(cursor, marks, quote),
                b'{' | b'}' | b';' => {
                    cursor.bump();
                    self.place = Place::Start;
                }
                b'@' => {
                    cursor.bump();
                    cursor.take_while(is_name);
                    marks.add(start, cursor.at, Class::Keyword);
                    self.place = Place::Value;
                }
                b'$' => {
                    cursor.bump();
                    cursor.take_while(is_name);
                    marks.add(start, cursor.at, Class::Property);
                    self.place = Place::Value;
                }
                _ if self.place == Place::Start => self.begin(cursor, marks),
                _ if self.place == Place::Selector => selector(cursor, marks),
                _ => value(cursor, marks),
            }
        }
        // A list of selectors may continue on the next line, which then starts with a selector again.
        if self.place == Place::Selector {
            self.place = Place::Start;
        }
    }

    fn comment(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        let start = cursor.at;
        while !cursor.is_done() && self.in_comment {
            if cursor.take("*/") {
                self.in_comment = false;
            } else {
                cursor.bump();
            }
        }
        marks.add(start, cursor.at, Class::Comment);
    }

    /// Decides between a property and a selector. A name before a colon is a property, unless a bracket opens before
    /// the next semicolon.
    fn begin(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        let start = cursor.at;
        cursor.take_while(is_name);
        let end = cursor.at;
        cursor.skip_blanks();
        let ahead = cursor.rest().find(['{', ';', '}']);
        let opens = ahead.is_some_and(|place| cursor.rest().as_bytes().get(place) == Some(&b'{'));
        if end > start && cursor.peek() == b':' && !opens {
            marks.add(start, end, Class::Property);
            cursor.bump();
            self.place = Place::Value;
        } else {
            cursor.at = start;
            self.place = Place::Selector;
        }
    }
}

fn selector(cursor: &mut Cursor, marks: &mut Marks) {
    let start = cursor.at;
    let class = match cursor.peek() {
        b'.' | b'#' => Class::Type,
        b':' => Class::Keyword,
        b'[' => Class::Property,
        byte if is_name(byte) => Class::Tag,
        _ => return cursor.bump(),
    };
    cursor.bump();
    cursor.take_while(|byte| is_name(byte) || (class == Class::Keyword && byte == b':'));
    marks.add(start, cursor.at, class);
}

fn value(cursor: &mut Cursor, marks: &mut Marks) {
    let start = cursor.at;
    let byte = cursor.peek();
    let is_number =
        byte.is_ascii_digit() || (matches!(byte, b'.' | b'-' | b'+') && cursor.ahead(1).is_ascii_digit());
    if is_number || byte == b'#' {
        cursor.bump();
        cursor.take_while(|byte| is_word(byte) || matches!(byte, b'.' | b'%'));
        marks.add(start, cursor.at, Class::Number);
    } else if starts_word(byte) || byte == b'-' {
        cursor.take_while(is_name);
        if cursor.peek() == b'(' {
            marks.add(start, cursor.at, Class::Function);
        } else if cursor.since(start).starts_with("--") {
            marks.add(start, cursor.at, Class::Property);
        }
    } else if byte == b'!' {
        cursor.bump();
        cursor.take_while(is_name);
        marks.add(start, cursor.at, Class::Keyword);
    } else {
        cursor.bump();
    }
}

fn text(cursor: &mut Cursor, marks: &mut Marks, quote: u8) {
    let start = cursor.at;
    cursor.bump();
    while !cursor.is_done() && cursor.peek() != quote {
        if cursor.peek() == b'\\' {
            cursor.bump();
        }
        cursor.bump();
    }
    cursor.bump();
    marks.add(start, cursor.at, Class::Text);
}

const fn is_name(byte: u8) -> bool {
    is_word(byte) || byte == b'-'
}
