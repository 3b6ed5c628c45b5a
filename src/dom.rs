//! DOM nodes built by hand, for content whose cost matters: streamed text, Markdown, code, and long lists of rows.

pub mod element;
pub mod keyed_list;
pub mod visibility;
