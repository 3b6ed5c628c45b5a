//! A row that is one line when closed: what stands in the line, and whether it is open.

use web_sys::Element;

use super::click;
use super::click::Act;
use crate::dom::element::{add, clear, path, set, set_class, with_class, with_text};
use crate::widgets::icon::Icon;

/// The button that the line is.
pub struct Line(Element);

impl Line {
    pub fn in_row(row: &Element) -> Self {
        let line = with_class("button", "row-line icon-before");
        set(&line, "type", "button");
        click::name(&line, Act::Open);
        add(row, &line);
        Self(line)
    }

    /// The words of the line, by the class of each; one without words is left out. A path has its folders before them.
    pub fn write(&self, icon: Icon, words: &[(&str, &str, &str)]) {
        set(&self.0, "data-icon", icon.name());
        clear(&self.0);
        for (class, folders, words) in words.iter().filter(|(.., words)| !words.is_empty()) {
            let part = if folders.is_empty() {
                with_text("span", class, words)
            } else {
                path(class, folders, words)
            };
            add(&self.0, &part);
        }
    }

    /// The icon at its end, which says how it stands.
    pub fn write_state(&self, icon: Icon, words: &str) {
        let state = with_class("span", "row-state icon-before");
        set(&state, "data-icon", icon.name());
        set(&state, "role", "img");
        set(&state, "aria-label", words);
        set(&state, "title", words);
        add(&self.0, &state);
    }

    pub fn set_open(&self, row: &Element, open: bool) {
        set_class(row, "open", open);
        set(&self.0, "aria-expanded", if open { "true" } else { "false" });
    }
}
