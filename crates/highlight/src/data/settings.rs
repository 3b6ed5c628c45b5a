//! Settings (INI, TOML): a name and a value on each line, in sections.

use crate::class::Class;
use crate::code::Code;
use crate::cursor::Cursor;
use crate::marks::Marks;
use crate::tables::Rules;

#[derive(Clone, Debug)]
pub struct Settings {
    values: Code,
    /// The number of open brackets of a list or table.
    depth: usize,
}

impl Settings {
    pub fn new(values: &'static Rules) -> Self {
        Self { values: Code::new(values), depth: 0 }
    }

    pub fn line(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        if self.values.is_at_rest() {
            // Each section resets the count, in case brackets were miscounted.
            if cursor.peek() == b'[' {
                self.depth = 0;
            }
            cursor.skip_blanks();
            if self.depth == 0 && cursor.peek() == b'[' {
                return section(cursor, marks);
            }
            if self.depth == 0 {
                key(cursor, marks);
            }
        }
        let value = cursor.rest();
        if self.values.is_at_rest() {
            let closing = value.bytes().filter(|byte| matches!(byte, b']' | b'}')).count();
            let opening = value.bytes().filter(|byte| matches!(byte, b'[' | b'{')).count();
            self.depth = (self.depth + opening).saturating_sub(closing);
        }
        self.values.line(cursor, marks);
    }
}

fn section(cursor: &mut Cursor, marks: &mut Marks) {
    let start = cursor.at;
    cursor.take_while(|byte| byte != b']');
    cursor.take_while(|byte| byte == b']');
    marks.add(start, cursor.at, Class::Heading);
    cursor.skip_blanks();
    marks.add(cursor.at, cursor.end(), Class::Comment);
}

fn key(cursor: &mut Cursor, marks: &mut Marks) {
    let start = cursor.at;
    if matches!(cursor.peek(), b'#' | b';') {
        return;
    }
    cursor.take_while(|byte| !matches!(byte, b'=' | b':' | b'#'));
    if matches!(cursor.peek(), b'=' | b':') {
        let end = start + cursor.since(start).trim_end().len();
        marks.add(start, end, Class::Property);
        cursor.bump();
    } else {
        cursor.at = start;
    }
}
