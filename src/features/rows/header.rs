//! The header of an expandable row: the button with its one-line summary.

use web_sys::Element;

use super::row_action;
use super::row_action::RowAction;
use crate::dom::element::{append, clear, path, set, toggle_class, with_class, with_text};
use crate::widgets::icon::Icon;

pub struct RowHeader(Element);

impl RowHeader {
    pub fn append_to(row: &Element) -> Self {
        let button = with_class("button", "row-line icon-before");
        set(&button, "type", "button");
        row_action::set_action(&button, RowAction::Toggle);
        append(row, &button);
        Self(button)
    }

    /// Replaces the header's content. Each part is (class, folders, text): a part with empty text is skipped, one with
    /// folders is rendered as a path.
    pub fn set_content(&self, icon: Icon, parts: &[(&str, &str, &str)]) {
        set(&self.0, "data-icon", icon.name());
        clear(&self.0);
        for (class, folders, text) in parts.iter().filter(|(.., text)| !text.is_empty()) {
            let part =
                if folders.is_empty() { with_text("span", class, text) } else { path(class, folders, text) };
            append(&self.0, &part);
        }
    }

    /// Appends an icon with the state and its label.
    pub fn append_state(&self, icon: Icon, label: &str) {
        let state = with_class("span", "row-state icon-before");
        set(&state, "data-icon", icon.name());
        set(&state, "role", "img");
        set(&state, "aria-label", label);
        set(&state, "title", label);
        append(&self.0, &state);
    }

    pub fn set_open(&self, row: &Element, open: bool) {
        toggle_class(row, "open", open);
        set(&self.0, "aria-expanded", if open { "true" } else { "false" });
    }
}
