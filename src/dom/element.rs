//! Helpers that create and change elements and text nodes without a reactive view. Text becomes text nodes, never
//! markup.

use leptos::prelude::document;
use wasm_bindgen::JsCast;
use web_sys::{Element, Node};

/// Creates an element. `create_element` fails only for invalid tag names, and every caller passes a literal.
pub fn element(tag: &str) -> Element {
    document().create_element(tag).unwrap_or_else(JsCast::unchecked_into)
}

pub fn with_text(tag: &str, class: &str, text: &str) -> Element {
    let parent = with_class(tag, class);
    append(&parent, &document().create_text_node(text));
    parent
}

pub fn with_class(tag: &str, class: &str) -> Element {
    let parent = element(tag);
    if !class.is_empty() {
        parent.set_class_name(class);
    }
    parent
}

/// A file path that is shortened from its folders, so that the file name stays visible.
pub fn path(class: &str, folders: &str, name: &str) -> Element {
    let (frame, text) = (with_class("span", &[class, " path"].concat()), with_class("span", "path-text"));
    if !folders.is_empty() {
        append(&text, &with_text("span", "path-folders", folders));
    }
    append(&text, &document().create_text_node(name));
    append(&frame, &text);
    frame
}

/// Clones an element with its descendants, in one call across the WebAssembly boundary.
pub fn clone_deep(element: &Element) -> Element {
    element.clone_node_with_deep(true).map_or_else(JsCast::unchecked_into, JsCast::unchecked_into)
}

pub fn append(parent: &Node, child: &Node) {
    let _ = parent.append_child(child);
}

/// Appends an element, or removes it. An element that is there already is not moved, which would take the focus from it.
pub fn toggle_child(parent: &Element, child: &Element, has: bool) {
    match (has, child.parent_node()) {
        (true, None) => append(parent, child),
        (false, Some(_)) => child.remove(),
        _ => {}
    }
}

/// Sets an attribute.
pub fn set(element: &Element, name: &str, value: &str) {
    let _ = element.set_attribute(name, value);
}

/// Sets the attribute to `value`, or removes it if that is `None`.
pub fn toggle_attribute(element: &Element, name: &str, value: Option<&str>) {
    let _ = match value {
        Some(value) => element.set_attribute(name, value),
        None => element.remove_attribute(name),
    };
}

pub fn toggle_class(element: &Element, class: &str, has: bool) {
    let _ = element.class_list().toggle_with_force(class, has);
}

/// Removes all children.
pub fn clear(element: &Element) {
    element.replace_children_with_node_0();
}

/// The value that was rendered last, to skip rendering it again.
#[derive(Debug)]
pub struct Changed<T>(Option<T>);

impl<T> Default for Changed<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: PartialEq> Changed<T> {
    /// Stores the new value. Returns true if it differs from the previous one, or if there was none.
    pub fn update(&mut self, value: T) -> bool {
        let changed = self.0.as_ref() != Some(&value);
        self.0 = Some(value);
        changed
    }

    pub const fn as_ref(&self) -> Option<&T> {
        self.0.as_ref()
    }
}
