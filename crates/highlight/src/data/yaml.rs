//! YAML: keys before colons, values after them, block texts by their indentation.

use crate::class::Class;
use crate::code::Code;
use crate::cursor::{Cursor, is_blank};
use crate::marks::Marks;
use crate::tables;

#[derive(Clone, Debug)]
pub struct Yaml {
    values: Code,
    /// The indentation of an open block text: it ends at the first line that is not indented further.
    text: Option<usize>,
}

impl Default for Yaml {
    fn default() -> Self {
        Self { values: Code::new(&tables::VALUES), text: None }
    }
}

impl Yaml {
    pub fn line(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        cursor.skip_blanks();
        let indent = cursor.at;
        if let Some(least) = self.text {
            if cursor.is_done() || indent > least {
                marks.add(indent, cursor.end(), Class::Text);
                return;
            }
            self.text = None;
        }
        if !self.values.is_at_rest() {
            return self.values.line(cursor, marks);
        }
        if indent == 0 && (cursor.starts_with("---") || cursor.starts_with("...")) {
            marks.add(0, 3, Class::Meta);
            cursor.at += 3;
        }
        while cursor.peek() == b'-' && (is_blank(cursor.ahead(1)) || cursor.ahead(1) == 0) {
            cursor.bump();
            cursor.skip_blanks();
        }
        key(cursor, marks);
        self.value(cursor, marks, indent);
    }

    fn value(&mut self, cursor: &mut Cursor, marks: &mut Marks, indent: usize) {
        cursor.skip_blanks();
        while matches!(cursor.peek(), b'&' | b'*' | b'!') {
            let start = cursor.at;
            cursor.take_while(|byte| !is_blank(byte));
            marks.add(start, cursor.at, Class::Meta);
            cursor.skip_blanks();
        }
        match cursor.peek() {
            b'|' | b'>' => {
                marks.add(cursor.at, cursor.at + 1, Class::Meta);
                self.text = Some(indent);
            }
            b'"' | b'\'' | b'[' | b'{' | b'#' => self.values.line(cursor, marks),
            _ => {
                // A plain text that contains a number is not a number.
                let value = cursor.rest();
                let end = value.find(" #").unwrap_or(value.len());
                let is_part =
                    |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+' | b'_');
                if !value.get(..end).unwrap_or_default().trim_end().bytes().all(is_part) {
                    cursor.at += end;
                }
                self.values.line(cursor, marks);
            }
        }
    }
}

/// Moves past a key and its colon, if the line has one.
fn key(cursor: &mut Cursor, marks: &mut Marks) {
    let start = cursor.at;
    let quote = cursor.peek();
    if matches!(quote, b'"' | b'\'') {
        cursor.bump();
        cursor.take_while(|byte| byte != quote);
        cursor.bump();
    } else {
        while !cursor.is_done() && !matches!(cursor.peek(), b'#' | b'{' | b'[' | b',') {
            if cursor.peek() == b':' && (is_blank(cursor.ahead(1)) || cursor.ahead(1) == 0) {
                break;
            }
            cursor.bump();
        }
    }
    let end = cursor.at;
    if cursor.take(":") && (cursor.is_done() || is_blank(cursor.peek())) {
        marks.add(start, end, Class::Property);
    } else {
        cursor.at = start;
    }
}
