//! HTML and XML. The content of `script` and `style` is highlighted in its own language.

use super::Style;
use crate::class::Class;
use crate::code::Code;
use crate::cursor::{Cursor, is_blank, is_word};
use crate::marks::Marks;
use crate::tables;

#[derive(Clone, Debug)]
pub struct Markup {
    place: Place,
    /// The content of the last start tag.
    inside: Inside,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Text,
    Comment,
    Tag,
    Quote(u8),
    /// Inside of `script` or `style`.
    Inside,
}

#[derive(Clone, Debug)]
enum Inside {
    Markup,
    Script(Box<Code>),
    Style(Style),
}

impl Default for Markup {
    fn default() -> Self {
        Self { place: Place::Text, inside: Inside::Markup }
    }
}

impl Markup {
    pub fn line(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        while !cursor.is_done() {
            match self.place {
                Place::Text => self.text(cursor, marks),
                Place::Comment => self.comment(cursor, marks),
                Place::Tag => self.tag(cursor, marks),
                Place::Quote(quote) => self.quote(cursor, marks, quote),
                Place::Inside => self.inside(cursor, marks),
            }
        }
    }

    fn text(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        let start = cursor.at;
        match cursor.peek() {
            b'<' if cursor.starts_with("<!--") => {
                cursor.at += 4;
                marks.add(start, cursor.at, Class::Comment);
                self.place = Place::Comment;
            }
            b'<' if matches!(cursor.ahead(1), b'!' | b'?') => {
                cursor.take_while(|byte| byte != b'>');
                cursor.bump();
                marks.add(start, cursor.at, Class::Meta);
            }
            b'<' if cursor.ahead(1) == b'/' || cursor.ahead(1).is_ascii_alphabetic() => {
                cursor.bump();
                let ends = cursor.take("/");
                let name = cursor.at;
                cursor.take_while(is_name);
                marks.add(name, cursor.at, Class::Tag);
                self.place = Place::Tag;
                self.inside = if ends { Inside::Markup } else { Inside::of(cursor.since(name)) };
            }
            b'&' => {
                cursor.bump();
                cursor.take_while(|byte| is_word(byte) || byte == b'#');
                if cursor.take(";") {
                    marks.add(start, cursor.at, Class::Constant);
                }
            }
            _ => {
                cursor.bump();
                cursor.take_while(|byte| !matches!(byte, b'<' | b'&'));
            }
        }
    }

    fn comment(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        let start = cursor.at;
        while !cursor.is_done() && self.place == Place::Comment {
            if cursor.take("-->") {
                self.place = Place::Text;
            } else {
                cursor.bump();
            }
        }
        marks.add(start, cursor.at, Class::Comment);
    }

    fn tag(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        let start = cursor.at;
        match cursor.peek() {
            b'>' => {
                cursor.bump();
                let closed = cursor.behind(2) == b'/' || matches!(self.inside, Inside::Markup);
                self.place = if closed { Place::Text } else { Place::Inside };
            }
            quote @ (b'"' | b'\'') => {
                cursor.bump();
                marks.add(start, cursor.at, Class::Text);
                self.place = Place::Quote(quote);
            }
            byte if is_blank(byte) => cursor.skip_blanks(),
            byte if is_name(byte) || matches!(byte, b'@' | b'#' | b'*') => {
                cursor.bump();
                cursor.take_while(is_name);
                marks.add(start, cursor.at, Class::Property);
            }
            _ => cursor.bump(),
        }
    }

    fn quote(&mut self, cursor: &mut Cursor, marks: &mut Marks, quote: u8) {
        let start = cursor.at;
        cursor.take_while(|byte| byte != quote);
        if cursor.peek() == quote {
            cursor.bump();
            self.place = Place::Tag;
        }
        marks.add(start, cursor.at, Class::Text);
    }

    fn inside(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        let end = match self.inside {
            Inside::Markup => Some(0),
            Inside::Script(_) => cursor.rest().find("</script"),
            Inside::Style(_) => cursor.rest().find("</style"),
        };
        let mut part = cursor.until(cursor.at + end.unwrap_or(usize::MAX - cursor.at));
        match &mut self.inside {
            Inside::Markup => {}
            Inside::Script(code) => code.line(&mut part, marks),
            Inside::Style(style) => style.line(&mut part, marks),
        }
        cursor.at = part.end();
        if end.is_some() {
            self.place = Place::Text;
        }
    }
}

impl Inside {
    fn of(tag: &str) -> Self {
        match tag {
            "script" => Self::Script(Box::new(Code::new(&tables::JAVASCRIPT))),
            "style" => Self::Style(Style::default()),
            _ => Self::Markup,
        }
    }
}

const fn is_name(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'-' | b':' | b'.')
}
