//! Text with invisible characters made visible, so that a command runs exactly as the user saw and approved
//! it.

use leptos::prelude::document;
use pilothouse_core::render::visible_text::{VisiblePiece, visible_pieces};
use web_sys::Element;

use crate::dom::element::{append, set, with_class, with_text};

/// An element with a text whose invisible characters appear as labelled marks.
pub fn visible_text(tag: &str, class: &str, text: &str) -> Element {
    let parent = with_class(tag, class);
    for piece in visible_pieces(text) {
        match piece {
            VisiblePiece::Plain(text) => append(&parent, &document().create_text_node(&text)),
            VisiblePiece::Marked(mark) => {
                let marked = with_text("span", "hidden-mark", &mark.shown);
                set(&marked, "title", mark.name);
                append(&parent, &marked);
            }
        }
    }
    parent
}
