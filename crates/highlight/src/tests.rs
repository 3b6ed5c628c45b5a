//! Samples of every language, and properties of any text.

mod cases;
pub mod cost;
mod properties;
mod streaming;

use crate::{Language, Span, highlight};

/// The text with every span as `‹class:text›`.
fn marked(language: Language, text: &str) -> String {
    let mut out = String::new();
    let mut at = 0;
    for Span { start, end, class } in highlight(language, text) {
        out += &format!("{}‹{}:{}›", &text[at..start], class.name(), &text[start..end]);
        at = end;
    }
    out + &text[at..]
}
