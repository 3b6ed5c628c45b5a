//! The lexer of shells, where the meaning of a word depends on its position and strings contain commands.

mod recipes;
mod session;

pub use recipes::Recipes;
pub use session::Console;

use crate::class::Class;
use crate::code::{here_document, is_here_end};
use crate::cursor::{Cursor, is_blank, is_word, starts_word};
use crate::marks::Marks;

/// The maximum nesting; deeper constructs are not tracked.
const DEEPEST: usize = 32;

/// Keywords that are followed by a command.
const BEFORE_COMMANDS: &str = "if then else elif while until do ! time { begin and or not";
const KEYWORDS: &str = "for case select function in fi done esac } [[ ]] end switch return break continue exit \
                        export local readonly declare typeset unset alias set shift source eval exec trap";
/// Programs whose argument is a command.
const RUNNERS: &str = "sudo env nohup exec command xargs nice time doas builtin";

#[derive(Clone, Debug, PartialEq, Eq)]
enum Frame {
    Single,
    Double,
    /// `$(…)`
    Commands,
    Here(String),
}

#[derive(Clone, Debug)]
pub struct Shell {
    frames: Vec<Frame>,
    /// The end marker of the here-document that starts on the next line.
    here: Option<String>,
    /// Whether the next word is a command.
    command: bool,
    /// Whether the previous line ended with a backslash.
    goes_on: bool,
}

impl Default for Shell {
    fn default() -> Self {
        Self { frames: Vec::new(), here: None, command: true, goes_on: false }
    }
}

impl Shell {
    /// Sets whether the next word is a command.
    pub const fn expect_command(&mut self, command: bool) {
        self.command = command;
    }

    /// Whether no construct of an earlier line is open.
    pub const fn is_at_rest(&self) -> bool {
        self.frames.is_empty() && !self.goes_on
    }

    pub fn line(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        if self.is_at_rest() && cursor.starts_with("$ ") {
            marks.add(cursor.at, cursor.at + 1, Class::Meta);
            cursor.at += 2;
        }
        while !cursor.is_done() {
            match self.frames.last() {
                None | Some(Frame::Commands) => self.token(cursor, marks),
                Some(Frame::Single) => self.single(cursor, marks),
                Some(Frame::Double) => self.double(cursor, marks),
                Some(Frame::Here(end)) => {
                    let ends = is_here_end(cursor.rest(), end);
                    marks.add(cursor.at, cursor.end(), Class::Text);
                    cursor.finish();
                    if ends {
                        self.frames.pop();
                        self.command = true;
                    }
                }
            }
        }
        if let Some(end) = self.here.take() {
            self.push(Frame::Here(end));
        }
        self.goes_on = cursor.behind(1) == b'\\';
        if !self.goes_on {
            self.command = true;
        }
    }

    fn push(&mut self, frame: Frame) {
        if self.frames.len() < DEEPEST {
            self.frames.push(frame);
        }
    }

    fn token(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        let start = cursor.at;
        match cursor.peek() {
            byte if is_blank(byte) => cursor.skip_blanks(),
            b'#' if matches!(cursor.behind(1), 0 | b' ' | b'\t' | b';' | b'(' | b'@') => {
                cursor.finish();
                marks.add(start, cursor.at, Class::Comment);
            }
            b'\'' => {
                cursor.bump();
                marks.add(start, cursor.at, Class::Text);
                self.push(Frame::Single);
                self.command = false;
            }
            b'"' => {
                cursor.bump();
                marks.add(start, cursor.at, Class::Text);
                self.push(Frame::Double);
                self.command = false;
            }
            b'$' => self.variable(cursor, marks),
            b'<' if cursor.starts_with("<<") => match here_document(cursor, "<<", true) {
                Some(end) => {
                    marks.add(start, cursor.at, Class::Text);
                    self.here.get_or_insert(end);
                }
                None => cursor.take_while(|byte| byte == b'<'),
            },
            b')' => {
                cursor.bump();
                // Outside of `$(…)` it ends a pattern of `case`, which a command follows.
                self.command = self.frames.pop().is_none();
            }
            b';' | b'|' | b'(' | b'`' => {
                cursor.bump();
                self.command = true;
            }
            b'&' => {
                cursor.bump();
                // Except in `2>&1`.
                if !matches!(cursor.behind(2), b'>' | b'<') {
                    self.command = true;
                }
            }
            b'<' | b'>' | b'=' => cursor.bump(),
            // A continued line keeps the expectation.
            b'\\' if cursor.at + 1 == cursor.end() => cursor.bump(),
            _ => self.word(cursor, marks),
        }
    }

    fn word(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        let start = cursor.at;
        while !cursor.is_done() && !ends_word(cursor.peek()) {
            if cursor.peek() == b'\\' {
                cursor.bump();
            }
            cursor.bump();
        }
        let word = cursor.since(start);
        let is_name = word.bytes().all(is_word) && starts_word(word.bytes().next().unwrap_or(0));
        let is_among = |list: &str| list.split_ascii_whitespace().any(|other| other == word);
        let class = if is_name && matches!(cursor.peek(), b'=') {
            // An assignment before a command.
            cursor.bump();
            marks.add(start, cursor.at - 1, Class::Property);
            if !is_blank(cursor.peek()) && !ends_word(cursor.peek()) {
                while !cursor.is_done() && !ends_word(cursor.peek()) {
                    cursor.bump();
                }
            }
            return;
        } else if self.command && is_among(BEFORE_COMMANDS) {
            Some(Class::Keyword)
        } else if (self.command && is_among(KEYWORDS)) || matches!(word, "in" | "]]" | "do" | "then") {
            self.command = matches!(word, "do" | "then");
            Some(Class::Keyword)
        } else if word.starts_with('-') && word.len() > 1 {
            Some(Class::Constant)
        } else if self.command {
            self.command = is_among(RUNNERS);
            Some(Class::Function)
        } else if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) {
            Some(Class::Number)
        } else {
            None
        };
        if let Some(class) = class {
            marks.add(start, cursor.at, class);
        }
        if cursor.at == start {
            cursor.bump();
        }
    }

    /// `$name`, `${…}` and `$(`.
    fn variable(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        let start = cursor.at;
        cursor.bump();
        match cursor.peek() {
            b'(' => {
                cursor.bump();
                let name = cursor.at;
                cursor.take_while(is_word);
                // `$(NAME)` counts as a variable of make, though it may be a command without arguments.
                if cursor.at == name || !cursor.take(")") {
                    cursor.at = name;
                    self.push(Frame::Commands);
                    self.command = true;
                    return;
                }
            }
            b'{' => {
                cursor.take_while(|byte| byte != b'}');
                cursor.bump();
            }
            byte if starts_word(byte) => cursor.take_while(is_word),
            b'?' | b'!' | b'#' | b'@' | b'*' | b'$' | b'-' | b'0'..=b'9' => cursor.bump(),
            _ => return,
        }
        marks.add(start, cursor.at, Class::Property);
        self.command = false;
    }

    fn single(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        let start = cursor.at;
        cursor.take_while(|byte| byte != b'\'');
        if cursor.take("'") {
            self.frames.pop();
        }
        marks.add(start, cursor.at, Class::Text);
    }

    fn double(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        let start = cursor.at;
        while !cursor.is_done() {
            match cursor.peek() {
                b'"' => {
                    cursor.bump();
                    self.frames.pop();
                    break;
                }
                b'$' if cursor.at > start => break,
                b'$' => return self.variable(cursor, marks),
                b'\\' => cursor.bump(),
                _ => {}
            }
            cursor.bump();
        }
        marks.add(start, cursor.at, Class::Text);
    }
}

const fn ends_word(byte: u8) -> bool {
    is_blank(byte)
        || matches!(byte, b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' | b'"' | b'\'' | b'$' | b'`' | b'=')
}
