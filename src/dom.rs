//! DOM nodes built by hand, for content whose cost matters: streamed text, Markdown, code and long lists of rows for their
//! speed; cards, menus and panels for the size of the page.

pub mod build;
pub mod element;
pub mod keyed_list;
pub mod visibility;
