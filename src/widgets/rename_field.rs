//! A session's title while it is being changed, in place of it. Enter and leaving the field save, Escape does not.

use leptos::html;
use leptos::prelude::*;

use super::focus;
use crate::actions::use_actions;
use crate::features::shortcuts::keys::Key;

#[component]
pub fn RenameField(session_id: String, title: String) -> impl IntoView {
    let actions = use_actions();
    let text = RwSignal::new(title.clone());
    let field = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            let _ = field.focus();
            field.select();
        }
    });
    on_cleanup(|| focus::or_at(".title-bar [aria-label='Session menu']"));
    let renaming = actions.client.renaming;
    let (id, before) = (StoredValue::new(session_id), StoredValue::new(title));
    let save = move || {
        // Escape and Enter take the field away, and it is left by that as well.
        if renaming.with_untracked(Option::is_none) {
            return;
        }
        let new = text.get_untracked();
        if new.trim().is_empty() || before.with_value(|before| *before == new) {
            renaming.set(None);
        } else {
            id.with_value(|id| actions.rename(id, &new));
        }
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| match Key::name_of(&event).as_str() {
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
            on:keydown=on_key
            on:blur=move |_| save()
        />
    }
}
