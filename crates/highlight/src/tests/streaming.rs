//! A text that comes in pieces ends as one that came at once.

use crate::{Highlighter, Language, Span, highlight};

/// All parts, as somebody has them who follows the updates.
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
fn a_comment_that_is_still_open_goes_on_in_what_is_added() {
    let text = "let a = 1; /* one\ntwo\nthree */ let b = \"x\";\n";
    for size in 1..text.len() {
        let pieces = text.as_bytes().chunks(size).map(|piece| std::str::from_utf8(piece).unwrap());
        assert_eq!(in_pieces(Language::Rust, pieces), highlight(Language::Rust, text), "in pieces of {size}");
    }
}

#[test]
fn only_the_line_that_changed_is_told_again() {
    let mut highlighter = Highlighter::new(Language::Rust);
    assert_eq!(highlighter.push("fn one() {}\nlet two").len(), 3);
    assert_eq!(highlighter.push(" = 2;"), highlight(Language::Rust, "let two = 2;"));
    assert_eq!(highlighter.push("\n"), highlight(Language::Rust, "let two = 2;"));
    assert_eq!(highlighter.push(""), []);
}
