//! An inline editor for a message. The keys that send in the composer save here; Escape cancels.

use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlTextAreaElement, KeyboardEvent};

use crate::browser;
use crate::dom::build::{button, event_value, on, set_value, with_attributes, with_children};
use crate::features::shortcuts::keys;
use crate::features::shortcuts::keys::{KeyAction, KeyPress};

/// The texts and callbacks of an editor.
pub struct MessageEditor {
    /// The accessible name of the field.
    pub label: &'static str,
    /// The `name` of the field.
    pub name: &'static str,
    /// The text to begin with.
    pub text: String,
    /// The label of the save button.
    pub yes: &'static str,
    /// Called with the text on every change.
    pub write: Box<dyn Fn(String)>,
    /// Called when the user saves.
    pub save: Callback<()>,
    /// Called when the user cancels.
    pub cancel: Callback<()>,
}

impl MessageEditor {
    /// A text field with buttons to save and to cancel. It takes the focus.
    pub fn build(self) -> Element {
        let Self { label, name, text, yes, write, save, cancel } = self;
        let attributes = [("class", "message-field"), ("name", name), ("rows", "2"), ("aria-label", label)];
        let field = with_attributes("textarea", &attributes);
        set_value(&field, &text);
        on(&field, "input", move |event| write(event_value(&event)));
        on(&field, "keydown", move |event| {
            let key = event.unchecked_ref::<KeyboardEvent>();
            if KeyPress::name_of(key) == "Escape" {
                event.stop_propagation();
                cancel.run(());
            } else if let Some(KeyAction::Send(_)) =
                keys::composer_action(&KeyPress::of(key), browser::is_touch())
            {
                event.prevent_default();
                save.run(());
            }
        });
        let focused = field.clone().unchecked_into::<HtmlTextAreaElement>();
        let focus = move || {
            let _ = focused.focus();
            let end = u32::try_from(focused.value().encode_utf16().count()).unwrap_or_default();
            let _ = focused.set_selection_range(end, end);
        };
        // The field is not in the document yet.
        set_timeout(focus, Duration::ZERO);
        let cancel = button("button quiet", None, "Cancel", move || cancel.run(()));
        let save = button("button primary", None, yes, move || save.run(()));
        let buttons = with_children("div", "message-decide", &[&cancel, &save]);
        with_children("div", "message-editor", &[&field, &buttons])
    }
}
