//! Strings with custom delimiters, character literals and regular expressions.

use crate::cursor::{Cursor, is_blank, is_word, starts_word};

/// The maximum length of a delimiter.
const LONGEST_END: usize = 32;

/// Moves past `'a'` and returns true, or past the lifetime `'a` and returns false.
pub fn character(cursor: &mut Cursor) -> bool {
    cursor.bump();
    let start = cursor.at;
    let escaped = cursor.peek() == b'\\';
    if escaped {
        cursor.bump();
    }
    cursor.bump();
    if escaped {
        cursor.take_while(|byte| byte != b'\'');
    }
    if cursor.take("'") {
        return true;
    }
    cursor.at = start;
    cursor.take_while(is_word);
    escaped
}

/// `##"` ends with `"##`.
pub fn hashed(cursor: &mut Cursor) -> Option<String> {
    let start = cursor.at;
    cursor.take_while(|byte| byte == b'#');
    let hashes = cursor.since(start);
    let end = (hashes.len() < LONGEST_END && cursor.take("\"")).then(|| format!("\"{hashes}"));
    if end.is_none() {
        cursor.at = start;
    }
    end
}

/// `"x(` ends with `)x"`.
pub fn delimited(cursor: &mut Cursor) -> Option<String> {
    let start = cursor.at;
    cursor.take("\"");
    let inside = cursor.at;
    while cursor.at - inside < LONGEST_END && !matches!(cursor.peek(), b'(' | b'"' | b' ' | 0) {
        cursor.bump();
    }
    let end = format!("){}\"", cursor.since(inside));
    let found = cursor.take("(");
    if !found {
        cursor.at = start;
    }
    found.then_some(end)
}

/// `[==[` ends with `]==]`.
pub fn long_bracket(cursor: &mut Cursor) -> Option<String> {
    let start = cursor.at;
    if cursor.take("[") {
        let level = cursor.at;
        cursor.take_while(|byte| byte == b'=');
        let signs = cursor.since(level);
        if signs.len() < LONGEST_END && cursor.take("[") {
            return Some(format!("]{signs}]"));
        }
    }
    cursor.at = start;
    None
}

/// `$tag$` ends with itself.
pub fn dollars(cursor: &mut Cursor) -> Option<String> {
    let start = cursor.at;
    cursor.bump();
    cursor.take_while(is_word);
    let found = cursor.take("$") && cursor.at - start <= LONGEST_END;
    let end = found.then(|| cursor.since(start).to_owned());
    if end.is_none() {
        cursor.at = start;
    }
    end
}

/// Moves past `<<~'END'` and returns `END`. Unless `plain`, it needs a `~` or `-`.
pub fn here_document(cursor: &mut Cursor, arrows: &str, plain: bool) -> Option<String> {
    let start = cursor.at;
    let found = cursor.take(arrows);
    let marked = cursor.take("~") || cursor.take("-");
    if plain {
        cursor.skip_blanks();
    }
    let quote = cursor.peek();
    let quoted = matches!(quote, b'"' | b'\'');
    if quoted {
        cursor.bump();
    }
    let word = cursor.at;
    cursor.take_while(is_word);
    let end = cursor.since(word);
    let good = found
        && (marked || plain)
        && starts_word(end.bytes().next().unwrap_or(0))
        && end.len() <= LONGEST_END;
    if !good {
        cursor.at = start;
        return None;
    }
    if quoted && cursor.peek() == quote {
        cursor.bump();
    }
    Some(end.to_owned())
}

/// Whether a line is the end of a here-document, possibly followed by the end of a call.
pub fn is_here_end(line: &str, end: &str) -> bool {
    line.trim_matches(|letter: char| letter.is_ascii() && is_blank(letter as u8))
        .trim_end_matches([';', ')', ','])
        .eq(end)
}

/// Moves past `/…/flags`. Returns false without moving if it does not end on the line.
pub fn regex(cursor: &mut Cursor) -> bool {
    let start = cursor.at;
    cursor.bump();
    if is_blank(cursor.peek()) {
        cursor.at = start;
        return false;
    }
    let mut in_class = false;
    while !cursor.is_done() {
        match cursor.peek() {
            b'\\' => cursor.bump(),
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => {
                cursor.bump();
                cursor.take_while(|byte| byte.is_ascii_lowercase());
                return true;
            }
            _ => {}
        }
        cursor.bump();
    }
    cursor.at = start;
    false
}
