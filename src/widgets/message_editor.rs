//! A message in a field of its own, in the place where it stands. Enter saves as it sends in the composer, Escape
//! leaves it as it was.

use leptos::html;
use leptos::prelude::*;

use crate::browser;
use crate::features::shortcuts::keys;
use crate::features::shortcuts::keys::{Act, Key};

#[component]
pub fn MessageEditor(
    label: &'static str,
    /// Of the field.
    name: &'static str,
    text: String,
    /// What saving is called.
    yes: &'static str,
    /// Hears every change.
    write: Box<dyn Fn(String)>,
    save: Callback<()>,
    cancel: Callback<()>,
) -> impl IntoView {
    let field = NodeRef::<html::Textarea>::new();
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            let _ = field.focus();
            let end = u32::try_from(field.value().encode_utf16().count()).unwrap_or_default();
            let _ = field.set_selection_range(end, end);
        }
    });
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        if Key::name_of(&event) == "Escape" {
            event.stop_propagation();
            cancel.run(());
        } else if let Some(Act::Send(_)) = keys::in_composer(&Key::of(&event), browser::is_touch()) {
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
                on:keydown=on_key
            ></textarea>
            <div class="message-decide">
                <button type="button" class="button quiet" on:click=move |_| cancel.run(())>"Cancel"</button>
                <button type="button" class="button primary" on:click=move |_| save.run(())>{yes}</button>
            </div>
        </div>
    }
}
