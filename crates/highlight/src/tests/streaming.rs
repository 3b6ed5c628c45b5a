//! A text that arrives in pieces gets the same spans as the whole text.

use crate::{Highlighter, Language, Span, highlight};

/// All spans, collected from the updates.
pub fn in_pieces<'a>(language: Language, pieces: impl IntoIterator<Item = &'a str>) -> Vec<Span> {
    let mut highlighter = Highlighter::new(language);
    let mut shown: Vec<Span> = Vec::new();
    let mut text = String::new();
    for piece in pieces {
        let line = text.rfind('\n').map_or(0, |end| end + 1);
        text += piece;
        shown.retain(|span| span.start < line);
        assert!(shown.last().is_none_or(|span| span.end <= line));
        let shifted = |span: Span| Span { start: line + span.start, end: line + span.end, ..span };
        shown.extend(highlighter.push(piece).into_iter().map(shifted));
    }
    shown
}

#[test]
fn an_open_comment_continues_in_the_next_piece() {
    let text = "let a = 1; /* one\ntwo\nthree */ let b = \"x\";\n";
    for size in 1..text.len() {
        let pieces = text.as_bytes().chunks(size).map(|piece| std::str::from_utf8(piece).unwrap());
        assert_eq!(in_pieces(Language::Rust, pieces), highlight(Language::Rust, text), "in pieces of {size}");
    }
}

#[test]
fn only_the_incomplete_line_is_highlighted_again() {
    let mut highlighter = Highlighter::new(Language::Rust);
    assert_eq!(highlighter.push("fn one() {}\nlet two").len(), 3);
    assert_eq!(highlighter.push(" = 2;"), highlight(Language::Rust, "let two = 2;"));
    assert_eq!(highlighter.push("\n"), highlight(Language::Rust, "let two = 2;"));
    assert_eq!(highlighter.push(""), []);
}
