//! Streams Markdown: for any division of a text into pieces, the finished blocks must equal those of a single
//! parse.
//!
//! The first line of the input determines the pieces: each of its characters is the length of a piece, and the
//! line repeats. The rest is the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse_core::render::markdown::{self, MarkdownStream};

/// The maximum number of lengths. More would make inputs slower but not more interesting.
const LENGTHS: usize = 16;

fuzz_target!(|input: &str| {
    let (lengths, text) = input.split_once('\n').unwrap_or(("", input));
    let expected = markdown::parse_blocks(text);
    let lengths = lengths.bytes().take(LENGTHS).map(|byte| usize::from(byte.wrapping_sub(b'0')));
    let mut stream = MarkdownStream::default();
    for piece in pieces(text, lengths) {
        stream.push(piece);
    }
    stream.finish();
    assert_eq!(stream.blocks(), expected, "the stream has different blocks than a single parse");
});

/// The pieces of the text, with lengths in characters. A length of 0 yields an empty piece.
fn pieces(text: &str, lengths: impl Iterator<Item = usize> + Clone) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    // At least one length of each round is positive, so the loop ends.
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
