//! Text in, marked text out; and what holds for any text in any language.

mod cases;
pub mod cost;
mod properties;
mod streaming;

use crate::{Class, Language, Span, highlight, pack, unpack};

/// The text with every part as `‹class:part›`.
fn marked(language: Language, text: &str) -> String {
    let mut out = String::new();
    let mut at = 0;
    for Span { start, end, class } in highlight(language, text) {
        out += &format!("{}‹{}:{}›", &text[at..start], class.name(), &text[start..end]);
        at = end;
    }
    out + &text[at..]
}

#[test]
fn parts_come_out_as_they_were_packed() {
    let spans: Vec<Span> =
        (7..).zip(Class::ALL).map(|(start, class)| Span { start, end: 2 * start, class }).collect();
    assert_eq!(unpack(&pack(&spans)), spans);
    assert!(unpack(&[1, 15, 3]).is_empty(), "what is no part is left out");
}
