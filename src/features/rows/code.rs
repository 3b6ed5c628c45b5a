//! The text of code: a `code` element with its lines in groups, coloured where the highlighter knows the language. That
//! is loaded when the first such code appears; until it is there, and where it cannot be loaded, code has no colours.

mod highlighter;

use leptos::prelude::document;
use pilothouse_highlight::{LINES, name_in_path, of_name, pieces};
use pilothouse_highlight_web::{GROUP, LANGUAGE};
use web_sys::Element;

use super::markdown::build;

pub fn element(language: &str, text: &str) -> Element {
    let code = build::element("code");
    write(&code, text);
    colour(&code, language);
    code
}

/// What a file's code is written in, by its path.
pub fn language_of(path: &str) -> String {
    name_in_path(path).unwrap_or_default().to_owned()
}

/// Colours code, or the lines of a change of it.
pub fn colour(code: &Element, language: &str) {
    if of_name(language).is_some() {
        build::set(code, LANGUAGE, language);
        highlighter::colour(code);
    }
}

pub fn text(code: &Element) -> String {
    code.text_content().unwrap_or_default()
}

/// Changes the text. What stands there stays if the new text only goes on.
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
    let is_done = added.is_empty() || (code.has_attribute(LANGUAGE) && highlighter::append(code, added));
    if !is_done {
        write(code, added);
    }
}

/// Adds text without colours.
fn write(code: &Element, added: &str) {
    let last = code.last_element_child();
    let lines = last.as_ref().map_or(0, |group| text(group).matches('\n').count());
    let mut group = last.filter(|_| lines < LINES);
    for piece in pieces(added, lines) {
        let group = group.take().unwrap_or_else(|| {
            let group = build::with_text("span", GROUP, "");
            build::add(code, &group);
            group
        });
        build::add(&group, &document().create_text_node(piece));
        // What was added to what stood there is one text with it.
        group.normalize();
    }
}

#[cfg(all(test, target_arch = "wasm32"))]
mod browser_tests;
