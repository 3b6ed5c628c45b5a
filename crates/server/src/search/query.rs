//! A search query: words that must all occur literally, ignoring case. Any text is a valid query; there are no
//! operators.

use memchr::memmem;
use pilothouse_core::limits::{QUERY_BYTES, SEARCH_TRIGRAMS};

pub(super) struct SearchQuery {
    /// Folded, without duplicates.
    words: Vec<String>,
    /// The whole query, folded.
    whole: String,
}

/// The relevance of a text; larger is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Relevance(u8);

impl SearchQuery {
    /// Parses a query. Returns `None` if it contains no word.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = &text[..text.floor_char_boundary(QUERY_BYTES)];
        let plain: String =
            text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
        let whole = fold(plain.trim());
        let quoted = whole.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let (mut words, whole): (Vec<String>, String) =
            match quoted.map(str::trim).filter(|inner| !inner.is_empty()) {
                Some(inner) => (vec![inner.to_owned()], inner.to_owned()),
                None => (whole.split_whitespace().map(str::to_owned).collect(), whole),
            };
        // The longest first: it is the most likely to be missing.
        words.sort_by(|left, right| right.len().cmp(&left.len()).then_with(|| left.cmp(right)));
        words.dedup();
        (!words.is_empty()).then_some(Self { words, whole })
    }

    /// The FTS5 expression that every matching text satisfies. Returns `None` if all words are shorter than a trigram.
    pub(super) fn fts_expression(&self) -> Option<String> {
        let mut trigrams: Vec<String> = self.words.iter().flat_map(|word| trigrams(word)).collect();
        trigrams.sort();
        trigrams.dedup();
        let step = trigrams.len().div_ceil(SEARCH_TRIGRAMS).max(1);
        let quoted: Vec<String> = trigrams
            .iter()
            .step_by(step)
            .map(|trigram| format!("\"{}\"", trigram.replace('"', "\"\"")))
            .collect();
        (!quoted.is_empty()).then(|| quoted.join(" AND "))
    }

    /// The relevance of a folded text. Returns `None` if a word is missing.
    pub(super) fn relevance(&self, folded: &str) -> Option<Relevance> {
        let mut whole_words = true;
        for word in &self.words {
            let mut found = memmem::find_iter(folded.as_bytes(), word).peekable();
            found.peek()?;
            whole_words = whole_words && found.any(|start| is_whole_word(folded, start, start + word.len()));
        }
        let adjacent = self.words.len() > 1 && folded.contains(&self.whole);
        Some(Relevance(u8::from(whole_words) + 2 * u8::from(adjacent)))
    }

    /// The byte ranges of the words in a folded text, in order and without overlaps, at most `limit` per word.
    pub(super) fn matches(&self, folded: &str, limit: usize) -> Vec<(usize, usize)> {
        let mut ranges: Vec<(usize, usize)> = self
            .words
            .iter()
            .flat_map(|word| {
                let found = memmem::find_iter(folded.as_bytes(), word).take(limit);
                found.map(|start| (start, start + word.len())).collect::<Vec<_>>()
            })
            .collect();
        ranges.sort_by_key(|(start, end)| (*start, std::cmp::Reverse(*end)));
        let mut last_end = 0;
        ranges.retain(|(start, end)| {
            let is_free = *start >= last_end;
            last_end = if is_free { *end } else { last_end };
            is_free
        });
        ranges
    }
}

/// Converts to lower case, one character at a time, so that the number of characters does not change.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars()
        .map(|character| {
            let mut lower = character.to_lowercase();
            lower.next().filter(|_| lower.next().is_none()).unwrap_or(character)
        })
        .collect()
}

/// All sequences of three characters in a word.
fn trigrams(word: &str) -> Vec<String> {
    let characters: Vec<char> = word.chars().collect();
    characters.windows(3).map(|three| three.iter().collect()).collect()
}

/// Whether the range is not part of a longer word.
fn is_whole_word(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].chars().next_back();
    let after = text[end..].chars().next();
    !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
}
