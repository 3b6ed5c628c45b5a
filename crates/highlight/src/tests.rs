//! Text in, marked text out; and what holds for any text in any language.

mod cases;
pub mod cost;
mod properties;
mod streaming;

use crate::{Language, Span, highlight};

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
