//! An inline editor for a message. The keys that send in the composer save here; Escape cancels.

use leptos::html;
use leptos::prelude::*;

use crate::browser;
use crate::features::shortcuts::keys;
use crate::features::shortcuts::keys::{KeyAction, KeyPress};
use crate::reactive::effect;

/// A text field with buttons to save and to cancel.
#[component]
pub fn MessageEditor(
    /// The accessible name of the field.
    label: &'static str,
    /// The `name` of the field.
    name: &'static str,
    /// The text to begin with.
    text: String,
    /// The label of the save button.
    yes: &'static str,
    /// Called with the text on every change.
    write: Box<dyn Fn(String)>,
    /// Called when the user saves.
    save: Callback<()>,
    /// Called when the user cancels.
    cancel: Callback<()>,
) -> impl IntoView {
    let field = NodeRef::<html::Textarea>::new();
    effect(move || {
        if let Some(field) = field.get() {
            let _ = field.focus();
            let end = u32::try_from(field.value().encode_utf16().count()).unwrap_or_default();
            let _ = field.set_selection_range(end, end);
        }
    });
    let on_keydown = move |event: leptos::ev::KeyboardEvent| {
        if KeyPress::name_of(&event) == "Escape" {
            event.stop_propagation();
            cancel.run(());
        } else if let Some(KeyAction::Send(_)) =
            keys::composer_action(&KeyPress::of(&event), browser::is_touch())
        {
            event.prevent_default();
            save.run(());
        }
    };
    view! {
        <div class="message-editor">
            <textarea
                node_ref=field
                class="message-field"
                name=name
                rows="2"
                aria-label=label
                prop:value=text
                on:input:target=move |event| write(event.target().value())
                on:keydown=on_keydown
            ></textarea>
            <div class="message-decide">
                <button type="button" class="button quiet" on:click=move |_| cancel.run(())>"Cancel"</button>
                <button type="button" class="button primary" on:click=move |_| save.run(())>{yes}</button>
            </div>
        </div>
    }
}
