//! A line of a text around the place where most of what was searched for stands, in pieces: found and not found.

use pilothouse_core::limits::SNIPPET_CHARACTERS;
use pilothouse_core::protocol::Piece;

use super::query::{Query, fold};

/// Matches looked at to find the best place.
const MATCHES: usize = 200;

/// Characters shown before the first match.
const LEAD: usize = SNIPPET_CHARACTERS / 4;

pub(super) fn snippet(query: &Query, text: &str) -> Vec<Piece> {
    let folded = fold(text);
    // Folding keeps the number of characters, not of bytes.
    let original: Vec<char> = text.chars().collect();
    let places = in_characters(&folded, &query.matches(&folded, MATCHES));
    let first = densest(&places);
    let start = first.saturating_sub(LEAD);
    let end = (start + SNIPPET_CHARACTERS).min(original.len());
    let mut pieces = Vec::new();
    if start > 0 {
        add(&mut pieces, "…".chars(), false);
    }
    let mut position = start;
    for (from, to) in places.into_iter().filter(|(from, to)| *to > start && *from < end) {
        let (from, to) = (from.max(position), to.min(end));
        add(&mut pieces, original[position..from].iter().copied(), false);
        add(&mut pieces, original[from..to].iter().copied(), true);
        position = to;
    }
    add(&mut pieces, original[position..end].iter().copied(), false);
    if end < original.len() {
        add(&mut pieces, "…".chars(), false);
    }
    pieces
}

/// The start of the match with the most others close behind it, the first of these.
fn densest(places: &[(usize, usize)]) -> usize {
    let close = |(start, _): &(usize, usize)| {
        let end = start + SNIPPET_CHARACTERS - LEAD;
        places.iter().filter(|(from, to)| from >= start && *to <= end).count()
    };
    let best = places.iter().rev().max_by_key(|place| close(place));
    best.map_or(0, |(start, _)| *start)
}

/// Byte places, which are in order, as character places.
fn in_characters(text: &str, places: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let (mut byte, mut character) = (0, 0);
    let mut advance = |to: usize| {
        character += text[byte..to].chars().count();
        byte = to;
        character
    };
    places.iter().map(|(start, end)| (advance(*start), advance(*end))).collect()
}

/// Adds a piece in one line: what is blank, or moves the cursor, is a single space.
fn add(pieces: &mut Vec<Piece>, letters: impl Iterator<Item = char>, found: bool) {
    if pieces.last().is_none_or(|last| last.found != found) {
        pieces.push(Piece { text: String::new(), found });
    }
    for letter in letters {
        let letter = if letter.is_whitespace() || letter.is_control() { ' ' } else { letter };
        let before = pieces.iter().rev().find_map(|piece| piece.text.chars().next_back());
        if let Some(last) =
            pieces.last_mut().filter(|_| letter != ' ' || before.is_some_and(|before| before != ' '))
        {
            last.text.push(letter);
        }
    }
    pieces.retain(|piece| !piece.text.is_empty());
}
