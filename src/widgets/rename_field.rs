//! The field that replaces a session's title while it is renamed. Enter and blur save, Escape cancels.

use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, KeyboardEvent};

use crate::actions::Actions;
use crate::browser;
use crate::dom::build::{on, set_value, with_attributes};
use crate::features::shortcuts::keys::KeyPress;

/// Where focus goes if it is lost with the field.
pub const NEXT_FOCUS: &str = ".title-bar [aria-label='Session menu']";

/// A text field for a session's title. It takes the focus.
pub fn rename_field(actions: Actions, session_id: String, title: String) -> Element {
    let attributes = [
        ("class", "rename-field"),
        ("name", "title"),
        ("type", "text"),
        ("aria-label", "Title"),
        ("autocomplete", "off"),
    ];
    let field = with_attributes("input", &attributes);
    set_value(&field, &title);
    let renaming = actions.client.renaming;
    let read = field.clone();
    let save = move || {
        // Escape and Enter remove the field, which fires `blur` as well.
        if renaming.with_untracked(Option::is_none) {
            return;
        }
        let new_title = browser::field_value(&read);
        if new_title.trim().is_empty() || new_title == title {
            renaming.set(None);
        } else {
            actions.rename(&session_id, &new_title);
        }
    };
    let save_on_blur = save.clone();
    on(&field, "blur", move |_| save_on_blur());
    on(&field, "keydown", move |event| {
        match KeyPress::name_of(event.unchecked_ref::<KeyboardEvent>()).as_str() {
            "Escape" => {
                event.stop_propagation();
                renaming.set(None);
            }
            "Enter" => {
                event.prevent_default();
                save();
            }
            _ => {}
        }
    });
    let focused = field.clone().unchecked_into::<HtmlInputElement>();
    let focus = move || {
        let _ = focused.focus();
        focused.select();
    };
    // The field is not in the document yet.
    set_timeout(focus, Duration::ZERO);
    field
}
