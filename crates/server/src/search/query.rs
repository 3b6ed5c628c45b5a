//! What is searched for: words that must all occur, as they stand, in any case. Any text is a query; nothing in it is
//! an operator.

use memchr::memmem;
use pilothouse_core::limits::{QUERY_BYTES, SEARCH_TRIGRAMS};

pub(super) struct Query {
    /// Folded, without repetitions.
    words: Vec<String>,
    /// The whole of it as it was typed, folded.
    whole: String,
}

/// How well a text fits; more is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fit(u8);

impl Query {
    /// None if there is nothing to look for.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = &text[..text.floor_char_boundary(QUERY_BYTES)];
        let plain: String =
            text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        let whole = fold(plain.trim());
        let quoted = whole.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let (mut words, whole): (Vec<String>, String) =
            match quoted.map(str::trim).filter(|inner| !inner.is_empty()) {
                Some(inner) => (vec![inner.to_owned()], inner.to_owned()),
                None => (whole.split_whitespace().map(str::to_owned).collect(), whole),
            };
        // The longest first: it is the likeliest to be missing.
        words.sort_by(|left, right| right.len().cmp(&left.len()).then_with(|| left.cmp(right)));
        words.dedup();
        (!words.is_empty()).then_some(Self { words, whole })
    }

    /// The question to the index: a text that fits has all of these. None if every word is too short for it.
    pub(super) fn expression(&self) -> Option<String> {
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

    /// None if a word is missing.
    pub(super) fn fit(&self, folded: &str) -> Option<Fit> {
        let mut stands_alone = true;
        for word in &self.words {
            let mut found = memmem::find_iter(folded.as_bytes(), word).peekable();
            found.peek()?;
            stands_alone = stands_alone && found.any(|start| is_alone(folded, start, start + word.len()));
        }
        let together = self.words.len() > 1 && folded.contains(&self.whole);
        Some(Fit(u8::from(stands_alone) + 2 * u8::from(together)))
    }

    /// Where its words stand in a text, as bytes: in order, without overlaps, and not more than needed.
    pub(super) fn matches(&self, folded: &str, limit: usize) -> Vec<(usize, usize)> {
        let mut places: Vec<(usize, usize)> = self
            .words
            .iter()
            .flat_map(|word| {
                let found = memmem::find_iter(folded.as_bytes(), word).take(limit);
                found.map(|start| (start, start + word.len())).collect::<Vec<_>>()
            })
            .collect();
        places.sort_by_key(|(start, end)| (*start, std::cmp::Reverse(*end)));
        let mut last = 0;
        places.retain(|(start, end)| {
            let free = *start >= last;
            last = if free { *end } else { last };
            free
        });
        places
    }
}

/// Lower case, letter by letter: the text keeps its number of characters.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars()
        .map(|letter| {
            let mut lower = letter.to_lowercase();
            lower.next().filter(|_| lower.next().is_none()).unwrap_or(letter)
        })
        .collect()
}

/// Every three letters of a word that follow each other.
fn trigrams(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    letters.windows(3).map(|three| three.iter().collect()).collect()
}

/// Not a piece of a longer word.
fn is_alone(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].chars().next_back();
    let after = text[end..].chars().next();
    !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
}
