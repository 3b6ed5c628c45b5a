//! The lexer of programming languages, driven by the table of a language. Its frames are the constructs that are open
//! at the start of a line.

mod elements;
mod frames;
mod own_ends;
mod texts;
mod words;

use std::rc::Rc;

use self::frames::{Frame, Frames};
pub use self::own_ends::{here_document, is_here_end};
use self::words::Words;
use crate::class::Class;
use crate::cursor::{Cursor, is_blank, is_word, starts_word};
use crate::marks::Marks;
use crate::tables::{OwnEnds, Rules};

#[derive(Clone, Debug)]
pub struct Code {
    rules: &'static Rules,
    words: Rc<Words>,
    frames: Frames,
    /// Whether the previous token is a value: then `/` divides and `<` compares.
    after_value: bool,
    /// The class of the next name, set by a keyword such as `fn`.
    announced: Option<Class>,
}

/// The state within one line.
#[derive(Debug, Default)]
struct Line {
    /// A token other than blanks was read.
    begun: bool,
    /// No regular expression ends on this line, so the search is not repeated.
    no_regex: bool,
}

impl Code {
    pub fn new(rules: &'static Rules) -> Self {
        let words = Rc::new(Words::new(rules));
        Self { rules, words, frames: Frames::default(), after_value: false, announced: None }
    }

    /// Whether no construct of an earlier line is open.
    pub const fn is_at_rest(&self) -> bool {
        self.frames.is_empty()
    }

    pub fn line(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        let mut line = Line::default();
        while !cursor.is_done() {
            let before = cursor.at;
            match self.frames.top() {
                None | Some(Frame::Hole { .. }) => self.token(cursor, marks, &mut line),
                Some(Frame::Comment { .. }) => self.comment(cursor, marks),
                Some(Frame::Text { .. }) => self.text(cursor, marks),
                Some(Frame::Until { .. }) => self.text_with_own_end(cursor, marks),
                Some(Frame::Tag { .. }) => self.inside_tag(cursor, marks),
                Some(Frame::Children) => self.children(cursor, marks),
            }
            // Every branch advances; this guarantees that the loop ends.
            if cursor.at == before {
                cursor.bump();
            }
        }
        self.frames.end_line();
        self.announced = None;
    }

    fn token(&mut self, cursor: &mut Cursor, marks: &mut Marks, line: &mut Line) {
        let byte = cursor.peek();
        if is_blank(byte) {
            return cursor.skip_blanks();
        }
        let begins = !std::mem::replace(&mut line.begun, true);
        if self.annotation(cursor, marks, begins)
            || self.begins_comment(cursor, marks)
            || self.begins_text(cursor, marks)
        {
            return;
        }
        let start = cursor.at;
        match byte {
            b'0'..=b'9' => self.number(cursor, marks),
            b'.' if cursor.ahead(1).is_ascii_digit() && !self.after_value => self.number(cursor, marks),
            _ if self.starts_word(byte) => self.word(cursor, marks),
            _ if self.rules.sigils.contains(&byte) => {
                cursor.bump();
                let sigils = self.rules.sigils;
                cursor.take_while(|byte| is_word(byte) || sigils.contains(&byte));
                marks.add(start, cursor.at, Class::Property);
                self.after_value = true;
            }
            b':' if self.rules.symbols && starts_word(cursor.ahead(1)) && cursor.behind(1) != b':' => {
                cursor.bump();
                cursor.take_while(is_word);
                marks.add(start, cursor.at, Class::Constant);
                self.after_value = true;
            }
            b'/' if self.rules.regexes && !self.after_value && !line.no_regex => {
                if own_ends::regex(cursor) {
                    marks.add(start, cursor.at, Class::Text);
                    self.after_value = true;
                } else {
                    line.no_regex = true;
                    cursor.bump();
                }
            }
            b'<' if self.rules.elements && !self.after_value && self.begins_element(cursor, marks) => {}
            _ => self.sign(cursor, marks),
        }
    }

    fn sign(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        let (start, byte) = (cursor.at, cursor.peek());
        cursor.bump();
        self.after_value = matches!(byte, b')' | b']');
        self.announced = None;
        if self.frames.close_hole(byte) {
            self.after_value = true;
            if matches!(self.frames.top(), Some(Frame::Text { .. })) {
                marks.add(start, cursor.at, Class::Text);
            }
        }
    }

    fn number(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        let start = cursor.at;
        let is_plain = !(cursor.peek() == b'0' && matches!(cursor.ahead(1), b'x' | b'X'));
        while !cursor.is_done() {
            let (byte, next) = (cursor.peek(), cursor.ahead(1));
            let goes_on = match byte {
                b'.' => next.is_ascii_digit(),
                b'\'' => next.is_ascii_alphanumeric() && self.rules.directives,
                b'+' | b'-' => is_plain && matches!(cursor.behind(1), b'e' | b'E') && next.is_ascii_digit(),
                _ => is_word(byte),
            };
            if !goes_on {
                break;
            }
            cursor.bump();
        }
        marks.add(start, cursor.at, Class::Number);
        self.after_value = true;
    }

    /// Attributes, decorators and directives.
    fn annotation(&mut self, cursor: &mut Cursor, marks: &mut Marks, begins: bool) -> bool {
        let (start, rules) = (cursor.at, self.rules);
        match (cursor.peek(), cursor.ahead(1)) {
            (b'#', b'[') | (b'#', b'!')
                if rules.attributes && (cursor.ahead(1) == b'[' || cursor.ahead(2) == b'[') =>
            {
                let mut depth = 0_usize;
                while !cursor.is_done() {
                    match cursor.peek() {
                        b'[' => depth += 1,
                        b']' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    let ends = cursor.peek() == b']' && depth == 0;
                    cursor.bump();
                    if ends {
                        break;
                    }
                }
            }
            (b'#', next) if begins && rules.directives && (is_blank(next) || next.is_ascii_alphabetic()) => {
                cursor.bump();
                cursor.skip_blanks();
                let word = cursor.at;
                cursor.take_while(is_word);
                let is_include = matches!(cursor.since(word), "include" | "import");
                marks.add(start, cursor.at, Class::Meta);
                cursor.skip_blanks();
                let name = cursor.at;
                if is_include && cursor.peek() == b'<' {
                    cursor.take_while(|byte| byte != b'>');
                    cursor.bump();
                    marks.add(name, cursor.at, Class::Text);
                }
                return true;
            }
            (b'@', next) if rules.decorators && starts_word(next) => {
                cursor.bump();
                cursor.take_while(|byte| is_word(byte) || byte == b'.');
            }
            (b'#', b'!') if begins && start == 0 => cursor.finish(),
            (b'<', b'?') if rules.own_ends == OwnEnds::Php => {
                cursor.at += 2;
                cursor.take_while(|byte| is_word(byte) || byte == b'=');
            }
            _ => return false,
        }
        marks.add(start, cursor.at, Class::Meta);
        self.after_value = false;
        true
    }

    fn starts_word(&self, byte: u8) -> bool {
        starts_word(byte) || self.rules.first_letters.contains(&byte)
    }
}
