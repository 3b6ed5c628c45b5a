//! The field that replaces a session's title while it is renamed. Enter and blur save, Escape cancels.

use leptos::html;
use leptos::prelude::*;

use super::focus;
use crate::actions::use_actions;
use crate::features::shortcuts::keys::KeyPress;
use crate::reactive::effect;

/// A text field for a session's title.
#[component]
pub fn RenameField(
    session_id: String,
    /// The title to begin with.
    title: String,
) -> impl IntoView {
    let actions = use_actions();
    let text = RwSignal::new(title.clone());
    let field = NodeRef::<html::Input>::new();
    effect(move || {
        if let Some(field) = field.get() {
            let _ = field.focus();
            field.select();
        }
    });
    on_cleanup(|| focus::focus_if_lost(".title-bar [aria-label='Session menu']"));
    let renaming = actions.client.renaming;
    let (id, old_title) = (StoredValue::new(session_id), StoredValue::new(title));
    let save = move || {
        // Escape and Enter remove the field, which fires `blur` as well.
        if renaming.with_untracked(Option::is_none) {
            return;
        }
        let new_title = text.get_untracked();
        if new_title.trim().is_empty() || old_title.with_value(|old| *old == new_title) {
            renaming.set(None);
        } else {
            id.with_value(|id| actions.rename(id, &new_title));
        }
    };
    let on_keydown = move |event: leptos::ev::KeyboardEvent| match KeyPress::name_of(&event).as_str() {
        "Escape" => {
            event.stop_propagation();
            renaming.set(None);
        }
        "Enter" => {
            event.prevent_default();
            save();
        }
        _ => {}
    };
    view! {
        <input
            node_ref=field
            class="rename-field"
            name="title"
            type="text"
            aria-label="Title"
            autocomplete="off"
            prop:value=text
            on:input:target=move |event| text.set(event.target().value())
            on:keydown=on_keydown
            on:blur=move |_| save()
        />
    }
}
