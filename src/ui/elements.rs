//! Elements and text nodes made by hand, for what is drawn from data in one go: no part of it changes by itself, so
//! it needs no reactive view. Text becomes text nodes, never markup.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Node};

use super::dynamic::effect;

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

pub fn add(parent: &Node, child: &Node) {
    let _ = parent.append_child(child);
}

pub fn set(element: &Element, name: &str, value: &str) {
    let _ = element.set_attribute(name, value);
}

/// A place whose content is drawn from data: at once, and anew when the data has become another.
pub fn drawn<T>(class: &'static str, data: Memo<T>, draw: fn(&Element, &T)) -> AnyView
where
    T: PartialEq + Send + Sync + 'static,
{
    let place = StoredValue::new_local(None::<Element>);
    let begin = move |element: Element| {
        data.with_untracked(|data| draw(&element, data));
        place.set_value(Some(element));
    };
    let mut first = true;
    effect(move || {
        data.track();
        if std::mem::take(&mut first) {
            return;
        }
        if let Some(place) = place.get_value() {
            place.replace_children_with_node_0();
            data.with_untracked(|data| draw(&place, data));
        }
    });
    view! { <div class=class use:begin></div> }.into_any()
}
