//! Syntax highlighting: finds keywords, strings, comments and the like in code, line by line and without a parser.
//! Programming languages share one lexer, driven by a table per language; markup, settings and shells have small lexers
//! of their own.
//!
//! The crate is pure: no DOM, no clock, no files. It accepts any text in any language, takes time proportional to its
//! length, and never panics.

// Tests may read files and clocks; see clippy.toml.
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

mod class;
mod code;
mod cursor;
mod data;
mod groups;
mod language;
mod lexer;
mod marks;
mod markup;
mod shell;
mod stream;
mod tables;

pub use class::Class;
pub use groups::{LINES, pieces};
pub use language::{Language, name_in_path, of_name};
pub use marks::Span;
pub use stream::Highlighter;

/// Returns the spans of a whole text, in order.
pub fn highlight(language: Language, text: &str) -> Vec<Span> {
    Highlighter::new(language).push(text)
}

#[cfg(test)]
mod tests;
