//! Plain text that grows. Added text is appended to the existing text node.

use leptos::prelude::document;
use web_sys::{Element, Text};

use crate::dom::element::{append, with_class};

pub struct StreamedText {
    pub element: Element,
    node: Text,
    shown: String,
}

impl StreamedText {
    pub fn append_to(parent: &Element, class: &str) -> Self {
        let (element, node) = (with_class("div", class), document().create_text_node(""));
        append(&element, &node);
        append(parent, &element);
        Self { element, node, shown: String::new() }
    }

    pub fn show(&mut self, text: &str) {
        match change(&self.shown, text) {
            TextChange::Unchanged => {}
            TextChange::Appended(added) => {
                let _ = self.node.append_data(added);
                self.shown.push_str(added);
            }
            TextChange::Replaced => {
                self.node.set_data(text);
                text.clone_into(&mut self.shown);
            }
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum TextChange<'a> {
    Unchanged,
    Appended(&'a str),
    Replaced,
}

fn change<'a>(shown: &str, text: &'a str) -> TextChange<'a> {
    match text.strip_prefix(shown) {
        Some("") => TextChange::Unchanged,
        Some(added) => TextChange::Appended(added),
        None => TextChange::Replaced,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_added_text_is_appended() {
        assert_eq!(change("", "a"), TextChange::Appended("a"));
        assert_eq!(change("höl", "hölle"), TextChange::Appended("le"));
        assert_eq!(change("same", "same"), TextChange::Unchanged);
    }

    #[test]
    fn a_different_final_text_replaces() {
        assert_eq!(change("abc", "abd"), TextChange::Replaced);
        assert_eq!(change("abc", "ab"), TextChange::Replaced);
    }
}
