//! Elements and text nodes made by hand, for what is drawn from data in one go: no part of it changes by itself, so
//! it needs no reactive view. Text becomes text nodes, never markup.

use leptos::prelude::document;
use wasm_bindgen::JsCast;
use web_sys::{Element, Node};

/// Fails only for names that cannot be one; those of the page are all written in it.
pub fn element(tag: &str) -> Element {
    document().create_element(tag).unwrap_or_else(JsCast::unchecked_into)
}

pub fn with_text(tag: &str, class: &str, text: &str) -> Element {
    let parent = with_class(tag, class);
    add(&parent, &document().create_text_node(text));
    parent
}

pub fn with_class(tag: &str, class: &str) -> Element {
    let parent = element(tag);
    if !class.is_empty() {
        parent.set_class_name(class);
    }
    parent
}

/// A path of which the name stays when there is no room for its folders.
pub fn path(class: &str, folders: &str, name: &str) -> Element {
    let (frame, text) = (with_class("span", &[class, " path"].concat()), with_class("span", "path-text"));
    if !folders.is_empty() {
        add(&text, &with_text("span", "path-folders", folders));
    }
    add(&text, &document().create_text_node(name));
    add(&frame, &text);
    frame
}

/// All of an element once more: one step, however much of it there is.
pub fn copy(element: &Element) -> Element {
    element.clone_node_with_deep(true).map_or_else(JsCast::unchecked_into, JsCast::unchecked_into)
}

pub fn add(parent: &Node, child: &Node) {
    let _ = parent.append_child(child);
}

pub fn set(element: &Element, name: &str, value: &str) {
    let _ = element.set_attribute(name, value);
}

/// An attribute that is there or not.
pub fn mark(element: &Element, name: &str, value: Option<&str>) {
    let _ = match value {
        Some(value) => element.set_attribute(name, value),
        None => element.remove_attribute(name),
    };
}

pub fn set_class(element: &Element, class: &str, has: bool) {
    let _ = element.class_list().toggle_with_force(class, has);
}

pub fn clear(element: &Element) {
    element.replace_children_with_node_0();
}

/// What was shown last, so that only what is new is drawn.
#[derive(Debug)]
pub struct Changed<T>(Option<T>);

impl<T> Default for Changed<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: PartialEq> Changed<T> {
    /// Whether it differs from what was shown; it counts as shown from now on.
    pub fn differs(&mut self, now: T) -> bool {
        let differs = self.0.as_ref() != Some(&now);
        self.0 = Some(now);
        differs
    }

    pub const fn as_ref(&self) -> Option<&T> {
        self.0.as_ref()
    }
}
