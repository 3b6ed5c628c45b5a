//! A modal `<dialog>` that a signal opens and closes. The browser closes it on Escape.

use crate::reactive::effect;
use leptos::html;
use leptos::prelude::*;

/// A modal dialog.
#[component]
pub fn Dialog(
    /// Whether the dialog is open.
    #[prop(into)]
    open: Signal<bool>,
    /// Called when it was closed, by the user or by the browser.
    close: Callback<()>,
    /// The class of the `<dialog>`.
    class: &'static str,
    /// Its accessible name.
    label: &'static str,
    /// Whether a click anywhere closes it.
    #[prop(optional)]
    closes_by_click: bool,
    children: Children,
) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    effect(move || {
        let should_be_open = open.get();
        if let Some(dialog) = dialog.get() {
            match (should_be_open, dialog.open()) {
                (true, false) => drop(dialog.show_modal()),
                (false, true) => dialog.close(),
                _ => {}
            }
        }
    });
    // `close` fires asynchronously: by then the dialog may be open again.
    let on_close = move |_| {
        if dialog.get_untracked().is_none_or(|dialog| !dialog.open()) {
            close.run(());
        }
    };
    let on_click = move |_| {
        if closes_by_click {
            close.run(());
        }
    };
    view! {
        <dialog class=class node_ref=dialog aria-label=label on:close=on_close on:click=on_click>
            {children()}
        </dialog>
    }
}
