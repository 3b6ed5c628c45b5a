//! `code` elements, whose lines are grouped and coloured if the highlighter knows the language. The highlighter is loaded
//! when the first such code appears; until then, and if it cannot be loaded, code is not coloured.

mod highlighter;

use leptos::prelude::document;
use pilothouse_highlight::{LINES, name_in_path, of_name, pieces};
use pilothouse_highlight_web::{GROUP, LANGUAGE};
use web_sys::Element;

use crate::dom::element as dom;

pub fn element(language: &str, text: &str) -> Element {
    let code = dom::element("code");
    append_plain(&code, text);
    colour(&code, language);
    code
}

/// The name of a file's language, derived from its path; empty if unknown.
pub fn language_of(path: &str) -> String {
    name_in_path(path).unwrap_or_default().to_owned()
}

/// Colours code or the lines of a diff hunk.
pub fn colour(code: &Element, language: &str) {
    if of_name(language).is_some() {
        dom::set(code, LANGUAGE, language);
        highlighter::colour(code);
    }
}

pub fn text(code: &Element) -> String {
    code.text_content().unwrap_or_default()
}

/// Changes the text. If the new text continues the old one, only the difference is appended.
pub fn set(code: &Element, text: &str) {
    match text.strip_prefix(&self::text(code)) {
        Some(added) => append(code, added),
        None => {
            let language = code.get_attribute(LANGUAGE).unwrap_or_default();
            let _ = code.replace_with_with_node_1(&element(&language, text));
        }
    }
}

pub fn append(code: &Element, added: &str) {
    let is_appended = added.is_empty() || (code.has_attribute(LANGUAGE) && highlighter::append(code, added));
    if !is_appended {
        append_plain(code, added);
    }
}

/// Appends text without colours, in groups of lines.
fn append_plain(code: &Element, added: &str) {
    let last = code.last_element_child();
    let lines = last.as_ref().map_or(0, |group| text(group).matches('\n').count());
    let mut group = last.filter(|_| lines < LINES);
    for piece in pieces(added, lines) {
        let group = group.take().unwrap_or_else(|| {
            let group = dom::with_text("span", GROUP, "");
            dom::append(code, &group);
            group
        });
        dom::append(&group, &document().create_text_node(piece));
        // Joins the added text with the node before it.
        group.normalize();
    }
}

#[cfg(all(test, target_arch = "wasm32"))]
mod browser_tests;
