//! A picture as large as the window, above everything. Escape, a click beside it or its button closes it.

use leptos::html;
use leptos::prelude::*;

use super::dynamic::{clicked, effect, live};
use super::icon::{Glyph, Icon};
use crate::actions::use_actions;

#[component]
pub fn Viewer() -> impl IntoView {
    let viewed = use_actions().client.viewed;
    let dialog = NodeRef::<html::Dialog>::new();
    effect(move || {
        let wanted = viewed.with(Option::is_some);
        if let Some(dialog) = dialog.get() {
            match (wanted, dialog.open()) {
                (true, false) => drop(dialog.show_modal()),
                (false, true) => dialog.close(),
                _ => {}
            }
        }
    });
    view! {
        <dialog
            class="viewer"
            node_ref=dialog
            aria-label="Image"
            on:close=move |_| viewed.set(None)
            on:click=clicked(move |_| viewed.set(None))
        >
            <button type="button" class="button icon-only viewer-close" aria-label="Close">
                <Glyph icon=Icon::Close />
            </button>
            {live(move || viewed.get().map(|source| view! { <img src=source alt="" /> }))}
        </dialog>
    }
}
