//! A dialog above everything, opened and closed by what the state says. Escape closes it by the browser's own hand.

use leptos::html;
use leptos::prelude::*;

#[component]
pub fn Dialog(
    #[prop(into)] open: Signal<bool>,
    /// It was closed, in whatever way.
    close: Callback<()>,
    class: &'static str,
    /// What it is called: the id of its heading, or words.
    label: &'static str,
    /// A click anywhere closes it.
    #[prop(optional)]
    closes_by_click: bool,
    children: Children,
) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let wanted = open.get();
        if let Some(dialog) = dialog.get() {
            match (wanted, dialog.open()) {
                (true, false) => drop(dialog.show_modal()),
                (false, true) => dialog.close(),
                _ => {}
            }
        }
    });
    // The browser tells a moment later, when it may be open again, for something else.
    let closed = move |_| {
        if dialog.get_untracked().is_none_or(|dialog| !dialog.open()) {
            close.run(());
        }
    };
    let click = move |_| {
        if closes_by_click {
            close.run(());
        }
    };
    view! {
        <dialog class=class node_ref=dialog aria-label=label on:close=closed on:click=click>
            {children()}
        </dialog>
    }
}
