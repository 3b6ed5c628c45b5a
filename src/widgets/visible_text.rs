//! Text with invisible characters made visible, so that a command runs exactly as the user saw and approved
//! it.

use leptos::prelude::document;
use pilothouse_core::render::visible_text::{VisiblePiece, visible_pieces};
use web_sys::Element;

use crate::dom::element::{append, set, with_class, with_text};

/// The class of a text of which everything counts.
pub const EXACT: &str = "ask-exact";

/// A text of which everything counts, such as a command to approve. It scrolls if it is long, also by keys.
pub fn exact_text(text: &str) -> Element {
    let element = visible_text("div", EXACT, text);
    set(&element, "tabindex", "0");
    element
}

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
