//! Which parts of a text of code are keywords, strings, comments and the like, line by line and without a parser: good
//! enough to read by, never in the way. A table says what is peculiar to a language, one lexer follows it; what is no
//! program (markup, settings, a shell) has a small lexer of its own.
//!
//! Everything here is pure: no DOM, no clock, no files. Any text in any language is fine, costs in proportion to its
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

/// Names the language of an element that can be coloured: code, or the lines of a change.
pub const LANGUAGE: &str = "data-language";

/// The class of a group of lines.
pub const GROUP: &str = "code-lines";

/// Where the page leaves the function that is told when the highlighter has been loaded.
pub const READY: &str = "pilothouseHighlighterIsReady";

/// The event by which the page hears that texts have become others, while words are marked in them.
pub const COLOURED: &str = "pilothouse-coloured";

/// The parts of a whole text, in their order.
pub fn highlight(language: Language, text: &str) -> Vec<Span> {
    Highlighter::new(language).push(text)
}

#[cfg(test)]
mod tests;
