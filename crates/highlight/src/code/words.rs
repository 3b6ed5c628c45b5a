//! Words: keywords, constants and types by the table; other names by their shape and the next character.

use super::Code;
use crate::class::Class;
use crate::cursor::{Cursor, is_blank, is_word, starts_word};
use crate::marks::Marks;
use crate::tables::Rules;

/// The maximum length of a keyword.
const LONGEST: usize = 24;

/// Keywords before the name of a type.
const BEFORE_TYPES: &str =
    "class struct enum interface trait union protocol record type typealias module actor";

/// The words of a language, sorted.
#[derive(Debug)]
pub struct Words(Vec<(&'static str, Class)>);

impl Words {
    pub fn new(rules: &Rules) -> Self {
        let lists = [
            (rules.keywords, Class::Keyword),
            (rules.constants, Class::Constant),
            (rules.types, Class::Type),
        ];
        let mut words = Self(Vec::new());
        for (list, class) in lists {
            for word in list.split_ascii_whitespace() {
                // Sorted insertion: the lists are short, and the code of `sort` is large.
                if let Err(place) = words.place_of(word) {
                    words.0.insert(place, (word, class));
                }
            }
        }
        words
    }

    fn place_of(&self, word: &str) -> Result<usize, usize> {
        self.0.binary_search_by_key(&word, |(word, _)| *word)
    }

    fn class_of(&self, word: &str) -> Option<Class> {
        self.place_of(word).ok().and_then(|place| self.0.get(place)).map(|(_, class)| *class)
    }
}

impl Code {
    pub(super) fn word(&mut self, cursor: &mut Cursor, marks: &mut Marks) {
        let (start, rules) = (cursor.at, self.rules);
        // `.type` is a field, `..type` is not.
        let is_member = cursor.behind(1) == b'.' && cursor.behind(2) != b'.';
        cursor.bump();
        cursor.take_while(|byte| is_word(byte) || rules.letters.contains(&byte));
        let word = cursor.since(start);
        if self.begins_prefixed_text(cursor, marks, start) {
            return;
        }
        let announced = self.announced.take();
        let class = if self.is_key(cursor, word) {
            Some(Class::Property)
        } else {
            let known = if is_member { None } else { self.known(cursor, word) };
            known.or(announced).or_else(|| self.by_looks(cursor, word))
        };
        self.after_value = class != Some(Class::Keyword);
        if class == Some(Class::Keyword) {
            if is_among(rules.definers, word) {
                self.announced = Some(Class::Function);
            } else if is_among(BEFORE_TYPES, word) {
                self.announced = Some(Class::Type);
            }
        }
        if let Some(class) = class {
            marks.add(start, cursor.at, class);
        }
    }

    fn known(&self, cursor: &Cursor, word: &str) -> Option<Class> {
        if word.len() > LONGEST {
            return None;
        }
        let is_soft = is_among(self.rules.soft_keywords, word);
        if is_soft && is_blank(cursor.peek()) && begins_operand(cursor.ahead(1)) {
            return Some(Class::Keyword);
        }
        match self.rules.ignores_case {
            true => self.words.class_of(&word.to_ascii_lowercase()),
            false => self.words.class_of(word),
        }
    }

    /// Whether the word is directly before a single colon, and is not the `default:` of a branch.
    fn is_key(&self, cursor: &Cursor, word: &str) -> bool {
        let behind = usize::from(cursor.peek() == b'?');
        self.rules.keys
            && cursor.ahead(behind) == b':'
            && cursor.ahead(behind + 1) != b':'
            && word != "default"
    }

    fn by_looks(&self, cursor: &mut Cursor, word: &str) -> Option<Class> {
        let rules = self.rules;
        let is_macro = rules.ticks && cursor.peek() == b'!' && cursor.ahead(1) != b'=';
        if is_macro {
            cursor.bump();
            return Some(Class::Function);
        }
        let is_called = cursor.peek() == b'(' || (rules.ticks && cursor.starts_with("::<"));
        // PowerShell's `Get-Item`.
        let is_command = rules.ignores_case && word.contains('-');
        let mut letters = word.chars().filter(|letter| *letter != '_').peekable();
        let has_capital = rules.capitals && letters.peek().is_some_and(|first| first.is_uppercase());
        if (is_called && (!has_capital || rules.capital_functions)) || is_command {
            return Some(Class::Function);
        }
        let is_constant =
            word.len() > 1 && letters.all(|letter| letter.is_uppercase() || letter.is_numeric());
        has_capital.then_some(if is_constant { Class::Constant } else { Class::Type })
    }
}

fn is_among(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|other| other == word)
}

/// Whether the byte can start an operand, which may follow a keyword but not a name.
const fn begins_operand(byte: u8) -> bool {
    starts_word(byte) || matches!(byte, b'{' | b'[' | b'(' | b'"' | b'\'' | b'`' | b'*' | b'$' | b'#')
}
