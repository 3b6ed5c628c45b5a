//! Finds web addresses in plain text, by the rules of GitHub.

use std::ops::Range;

/// The next http or https address at or after `from`.
pub fn find(text: &str, from: usize) -> Option<Range<usize>> {
    let mut at = from;
    loop {
        let start = at + text.get(at..)?.find("http")?;
        at = start + "http".len();
        let rest = text.get(at..)?;
        let Some(address) = rest.strip_prefix("s://").or_else(|| rest.strip_prefix("://")) else { continue };
        let inside_word = text.get(..start)?.chars().next_back().is_some_and(char::is_alphanumeric);
        if inside_word || !address.starts_with(char::is_alphanumeric) {
            continue;
        }
        let ends = |character: char| character.is_whitespace() || character.is_control() || character == '<';
        let length = address.find(ends).unwrap_or(address.len());
        let end = text.len() - address.len() + length;
        return Some(start..start + without_trailing_punctuation(text.get(start..end)?));
    }
}

/// The length of an address without the punctuation of the sentence around it.
fn without_trailing_punctuation(address: &str) -> usize {
    let count = |character: char| address.matches(character).count();
    let mut round = count(')').saturating_sub(count('('));
    let mut square = count(']').saturating_sub(count('['));
    let mut kept = address;
    while let Some(last) = kept.chars().next_back() {
        let shorter = match last {
            '?' | '!' | '.' | ',' | ':' | '*' | '_' | '~' | '\'' | '"' | '`' => 1,
            ')' if round > 0 => {
                round -= 1;
                1
            }
            ']' if square > 0 => {
                square -= 1;
                1
            }
            ';' => entity_length(kept).unwrap_or(1),
            _ => break,
        };
        kept = kept.get(..kept.len() - shorter).unwrap_or_default();
    }
    kept.len()
}

/// The length of an entity at the end, such as `&copy;`.
fn entity_length(text: &str) -> Option<usize> {
    let name = text.strip_suffix(';')?;
    let start = name.rfind(|character: char| !character.is_ascii_alphanumeric())?;
    let entity = name.get(start..)?;
    (entity.starts_with('&') && entity.len() > 1).then_some(entity.len() + 1)
}
