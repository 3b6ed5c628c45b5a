//! Markdown source. Fenced code is highlighted in its own language.

use crate::class::Class;
use crate::cursor::{Cursor, is_blank};
use crate::language;
use crate::lexer::Lexer;
use crate::marks::Marks;

#[derive(Clone, Debug, Default)]
pub struct Markdown {
    fence: Option<Fence>,
}

#[derive(Clone, Debug)]
struct Fence {
    mark: u8,
    length: usize,
    lexer: Option<Box<Lexer>>,
}

impl Markdown {
    pub fn line(&mut self, line: &str, marks: &mut Marks) {
        let mut cursor = Cursor::new(line);
        cursor.skip_blanks();
        let start = cursor.at;
        let mark = cursor.peek();
        let length = if matches!(mark, b'`' | b'~') { run(&mut cursor, mark) } else { 0 };
        if let Some(fence) = &mut self.fence {
            if mark == fence.mark && length >= fence.length && cursor.rest().trim().is_empty() {
                marks.add(start, cursor.at, Class::Meta);
                self.fence = None;
            } else if let Some(lexer) = &mut fence.lexer {
                lexer.line(line, marks);
            }
            return;
        }
        if length >= 3 {
            marks.add(start, cursor.end(), Class::Meta);
            let info = cursor.rest().trim();
            let name = info.split([' ', ',', '{']).next().unwrap_or_default();
            // Nested Markdown is not highlighted: the nesting would be unbounded.
            let language =
                language::of_name(name).filter(|language| *language != language::Language::Markdown);
            let lexer = language.map(|language| Box::new(Lexer::new(language)));
            self.fence = Some(Fence { mark, length, lexer });
            return;
        }
        cursor.at = start;
        plain(&mut cursor, marks);
    }
}

fn plain(cursor: &mut Cursor, marks: &mut Marks) {
    let start = cursor.at;
    match cursor.peek() {
        b'#' => {
            let level = run(cursor, b'#');
            if level <= 6 && (is_blank(cursor.peek()) || cursor.is_done()) {
                cursor.finish();
                return marks.add(start, cursor.at, Class::Heading);
            }
        }
        b'>' => {
            cursor.bump();
            marks.add(start, cursor.at, Class::Meta);
        }
        b'-' | b'*' | b'+' if is_blank(cursor.ahead(1)) => {
            cursor.bump();
            marks.add(start, cursor.at, Class::Keyword);
        }
        b'0'..=b'9' => {
            cursor.take_while(|byte| byte.is_ascii_digit());
            if matches!(cursor.peek(), b'.' | b')') && is_blank(cursor.ahead(1)) {
                cursor.bump();
                marks.add(start, cursor.at, Class::Keyword);
            }
        }
        _ => {}
    }
    while !cursor.is_done() {
        inline(cursor, marks);
    }
}

fn inline(cursor: &mut Cursor, marks: &mut Marks) {
    let start = cursor.at;
    match cursor.peek() {
        b'\\' => {
            cursor.bump();
            cursor.bump();
        }
        b'`' => {
            let length = run(cursor, b'`');
            while !cursor.is_done() && run(cursor, b'`') != length {
                cursor.take_while(|byte| byte != b'`');
            }
            marks.add(start, cursor.at, Class::Text);
        }
        b'*' | b'_' => {
            let mark = cursor.peek();
            let length = run(cursor, mark);
            if length == 2 && !is_blank(cursor.peek()) {
                cursor.take_while(|byte| byte != mark);
                run(cursor, mark);
                marks.add(start, cursor.at, Class::Type);
            }
        }
        b'[' => {
            cursor.bump();
            cursor.take_while(|byte| !matches!(byte, b']' | b'[' | b'`'));
            if cursor.take("](") {
                let address = cursor.at;
                cursor.take_while(|byte| byte != b')');
                marks.add(start, address - 1, Class::Property);
                marks.add(address, cursor.at, Class::Text);
            }
        }
        b'<' if cursor.starts_with("<!--") => {
            cursor.finish();
            marks.add(start, cursor.at, Class::Comment);
        }
        _ => cursor.bump(),
    }
}

/// Moves past all repetitions of a byte and returns their number.
fn run(cursor: &mut Cursor, byte: u8) -> usize {
    let start = cursor.at;
    cursor.take_while(|other| other == byte);
    cursor.at - start
}
