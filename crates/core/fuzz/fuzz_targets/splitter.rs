//! Streamed Markdown: however a text is cut into pieces, its blocks in the end are those of the whole text.
//!
//! The first line says how: each of its characters is the length of a piece, over and over. The rest is the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse_core::render::markdown::{self, MarkdownStream};

/// More would make an input slow without making it another one.
const LENGTHS: usize = 16;

fuzz_target!(|input: &str| {
    let (lengths, text) = input.split_once('\n').unwrap_or(("", input));
    let whole = markdown::parse_blocks(text);
    let lengths = lengths.bytes().take(LENGTHS).map(|byte| usize::from(byte.wrapping_sub(b'0')));
    let mut stream = MarkdownStream::default();
    for piece in pieces(text, lengths) {
        stream.push(piece);
    }
    stream.finish();
    assert_eq!(stream.blocks(), whole, "the stream made other blocks than the whole");
});

/// Pieces of so many characters; a length of nothing gives an empty piece once, which must do no harm.
fn pieces(text: &str, lengths: impl Iterator<Item = usize> + Clone) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    // At least one length of every round takes something away.
    let mut lengths = lengths.chain([1]).cycle();
    while !rest.is_empty() {
        let length = lengths.next().unwrap_or(1);
        let end = rest.char_indices().nth(length).map_or(rest.len(), |(end, _)| end);
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}
