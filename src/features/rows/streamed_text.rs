//! Text that grows. What is added is appended to the text that stands there; nothing is built anew for it.

use leptos::prelude::document;
use web_sys::{Element, Text};

use crate::dom::element::{add, with_class};

pub struct StreamedText {
    pub element: Element,
    node: Text,
    shown: String,
}

impl StreamedText {
    pub fn in_place(parent: &Element, class: &str) -> Self {
        let (element, node) = (with_class("div", class), document().create_text_node(""));
        add(&element, &node);
        add(parent, &element);
        Self { element, node, shown: String::new() }
    }

    pub fn show(&mut self, now: &str) {
        match change(&self.shown, now) {
            Change::Same => {}
            Change::Appended(added) => {
                let _ = self.node.append_data(added);
                self.shown.push_str(added);
            }
            Change::Replaced => {
                self.node.set_data(now);
                now.clone_into(&mut self.shown);
            }
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Change<'a> {
    Same,
    Appended(&'a str),
    Replaced,
}

fn change<'a>(shown: &str, now: &'a str) -> Change<'a> {
    match now.strip_prefix(shown) {
        Some("") => Change::Same,
        Some(added) => Change::Appended(added),
        None => Change::Replaced,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_new_is_added() {
        assert_eq!(change("", "a"), Change::Appended("a"));
        assert_eq!(change("höl", "hölle"), Change::Appended("le"));
        assert_eq!(change("same", "same"), Change::Same);
    }

    #[test]
    fn a_final_word_that_differs_replaces() {
        assert_eq!(change("abc", "abd"), Change::Replaced);
        assert_eq!(change("abc", "ab"), Change::Replaced);
    }
}
