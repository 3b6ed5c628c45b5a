//! Reading Rust text just far enough to know which paths it names. Not a parser: a compiler checks the rest.

/// A path such as `std::fs::read` or `println!`, and its line.
pub(super) struct Name {
    pub(super) path: String,
    pub(super) line: usize,
}

/// The code with comments, strings and characters blanked out; lines stay where they are.
pub(super) fn without_comments_and_strings(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut code = String::with_capacity(text.len());
    let mut position = 0;
    while position < characters.len() {
        let length =
            skipped(&characters[position..], position.checked_sub(1).map(|before| characters[before]));
        if length == 0 {
            code.push(characters[position]);
            position += 1;
            continue;
        }
        let end = (position + length).min(characters.len());
        code.extend(
            characters[position..end].iter().map(|character| if *character == '\n' { '\n' } else { ' ' }),
        );
        position = end;
    }
    code
}

/// How many characters a comment, string or character literal takes that begins here; 0 when none does.
fn skipped(rest: &[char], before: Option<char>) -> usize {
    match rest {
        ['/', '/', ..] => rest.iter().position(|character| *character == '\n').unwrap_or(rest.len()),
        ['/', '*', ..] => block_comment(rest),
        ['"', ..] => quoted(rest, '"'),
        ['r', '"' | '#', ..] if !before.is_some_and(|before| before != 'b' && is_word(before)) => {
            raw_string(rest)
        }
        // A lifetime has no closing quote right after its first character.
        ['\'', '\\', ..] | ['\'', _, '\'', ..] => quoted(rest, '\''),
        _ => 0,
    }
}

fn block_comment(rest: &[char]) -> usize {
    let mut depth = 0_usize;
    let mut position = 0;
    while position < rest.len() {
        match &rest[position..] {
            ['/', '*', ..] => depth += 1,
            ['*', '/', ..] => depth -= 1,
            _ => {
                position += 1;
                continue;
            }
        }
        position += 2;
        if depth == 0 {
            return position;
        }
    }
    rest.len()
}

fn quoted(rest: &[char], quote: char) -> usize {
    let mut position = 1;
    while position < rest.len() {
        match rest[position] {
            '\\' => position += 2,
            character if character == quote => return position + 1,
            _ => position += 1,
        }
    }
    rest.len()
}

fn raw_string(rest: &[char]) -> usize {
    let hashes = rest[1..].iter().take_while(|character| **character == '#').count();
    if rest.get(1 + hashes) != Some(&'"') {
        return 0;
    }
    let mut end = vec!['"'];
    end.extend(std::iter::repeat_n('#', hashes));
    let start = 2 + hashes;
    let found = rest[start..].windows(end.len()).position(|window| window == end);
    found.map_or(rest.len(), |position| start + position + end.len())
}

/// The code with every item blanked out that is compiled for tests only.
pub(super) fn without_tests(code: &str) -> String {
    let mut kept = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(start) = rest.find("#[cfg(") {
        let (before, attribute) = rest.split_at(start);
        kept.push_str(before);
        let end = attribute.find(']').map_or(attribute.len(), |end| end + 1);
        let is_test = is_for_tests(&attribute[..end]);
        let length = if is_test { end + item_length(&attribute[end..]) } else { end };
        let (item, after) = attribute.split_at(length);
        match is_test {
            true => kept.extend(item.chars().filter(|character| *character == '\n')),
            false => kept.push_str(item),
        }
        rest = after;
    }
    kept + rest
}

fn is_for_tests(attribute: &str) -> bool {
    let mut words = attribute.split(|character: char| !is_word(character)).filter(|word| !word.is_empty());
    words.any(|word| word == "test") && !attribute.contains("not(")
}

/// An item ends with its closing brace, or with a semicolon when it has none.
fn item_length(text: &str) -> usize {
    let mut depth = 0_usize;
    for (position, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth <= 1 => return position + 1,
            '}' => depth -= 1,
            ';' if depth == 0 => return position + 1,
            _ => {}
        }
    }
    text.len()
}

/// Every path the code names, with the groups of `use` written out.
pub(super) fn names(code: &str) -> Vec<Name> {
    let mut reader = Reader { tokens: tokens(code), position: 0, names: Vec::new() };
    while reader.position < reader.tokens.len() {
        if !reader.path("") {
            reader.position += 1;
        }
    }
    reader.names
}

struct Reader<'a> {
    tokens: Vec<(&'a str, usize)>,
    position: usize,
    names: Vec<Name>,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> &'a str {
        self.tokens.get(self.position).map_or("", |token| token.0)
    }

    /// Reads a path that continues `prefix`; false when none begins here.
    fn path(&mut self, prefix: &str) -> bool {
        let word = self.peek();
        if !word.starts_with(is_word) {
            return false;
        }
        let line = self.tokens[self.position].1;
        let mut path = if prefix.is_empty() { String::from(word) } else { format!("{prefix}::{word}") };
        self.position += 1;
        match self.peek() {
            "::" => {
                self.position += 1;
                if self.peek() == "{" {
                    self.group(&path);
                    return true;
                }
                if self.path(&path) {
                    return true;
                }
            }
            "!" => path.push('!'),
            _ => {}
        }
        self.names.push(Name { path, line });
        true
    }

    /// Reads `{a, b::c}` after a prefix.
    fn group(&mut self, prefix: &str) {
        self.position += 1;
        while !matches!(self.peek(), "}" | "") {
            if self.peek() == "," || !self.path(prefix) {
                self.position += 1;
            }
        }
        self.position += 1;
    }
}

/// Words, `::`, and single other characters, with their lines.
fn tokens(code: &str) -> Vec<(&str, usize)> {
    let mut tokens = Vec::new();
    for (number, line) in code.lines().enumerate() {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let length = match first {
                _ if is_word(first) => rest.find(|character| !is_word(character)).unwrap_or(rest.len()),
                ':' if rest.starts_with("::") => 2,
                _ => first.len_utf8(),
            };
            let (token, after) = rest.split_at(length);
            tokens.push((token, number + 1));
            rest = after.trim_start();
        }
    }
    tokens
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}
