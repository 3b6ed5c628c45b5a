//! Text that grows. What is added is appended to the text that stands there; nothing is built anew for it.

use leptos::html;
use leptos::prelude::*;
use pilothouse_core::UiMessage;
use wasm_bindgen::JsCast;

use super::entry::Entry;
use crate::ui::dynamic::effect;

#[component]
pub fn StreamedText(
    entry: Entry,
    /// Which text of the row.
    text: fn(&UiMessage) -> &str,
    class: &'static str,
) -> impl IntoView {
    let element = NodeRef::<html::Div>::new();
    let first = entry.peek(|message| text(message).to_owned());
    let shown = StoredValue::new(first.clone());
    effect(move || {
        entry.read(|message| {
            let Some(node) = element.get().as_deref().and_then(text_node) else { return };
            let now = text(message);
            shown.update_value(|shown| match change(shown, now) {
                Change::Same => {}
                Change::Appended(added) => {
                    let _ = node.append_data(added);
                    shown.push_str(added);
                }
                Change::Replaced => {
                    node.set_data(now);
                    now.clone_into(shown);
                }
            });
        });
    });
    view! { <div class=class node_ref=element>{first}</div> }
}

/// The text is the first child; behind it the framework may keep a marker of its own.
fn text_node(element: &web_sys::HtmlElement) -> Option<web_sys::Text> {
    let first = || element.first_child().and_then(|node| node.dyn_into().ok());
    first().or_else(|| {
        element.prepend_with_str_1("").ok()?;
        first()
    })
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
