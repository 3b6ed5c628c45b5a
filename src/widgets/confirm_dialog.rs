//! The dialog that asks for confirmation before an action that cannot be undone. Only its own button confirms.

use leptos::prelude::*;

use super::dialog::Dialog;
use crate::actions::use_actions;
use crate::dom::build::{button, rebuilt};
use crate::dom::element::append;
use crate::store::client::{Confirmation, ConfirmedAction};

/// Shows `client.confirmation` while one is set.
#[component]
pub fn ConfirmDialog() -> impl IntoView {
    let confirmation = use_actions().client.confirmation;
    let open = Signal::derive(move || confirmation.with(Option::is_some));
    let close = Callback::new(move |()| confirmation.set(None));
    let text = move |read: fn(&Confirmation) -> String| {
        confirmation.with(|confirmation| confirmation.as_ref().map(read).unwrap_or_default())
    };
    // Closes first: the action may open another dialog.
    let run = move |action: &ConfirmedAction| {
        confirmation.set(None);
        action();
    };
    let answers = rebuilt("ask-answers spread", move |place| {
        let Some(Confirmation { confirm_label, destructive, action, alternatives, .. }) = confirmation.get()
        else {
            return;
        };
        if alternatives.is_empty() {
            append(place, &button("button", None, "Cancel", move || confirmation.set(None)));
        }
        for (label, action) in alternatives {
            append(place, &button("button", None, label, move || run(&action)));
        }
        let class = if destructive { "button danger" } else { "button primary" };
        append(place, &button(class, None, confirm_label, move || run(&action)));
    });
    view! {
        <Dialog open close class="confirm" label="Confirm">
            <h2 class="confirm-title">{move || text(|confirmation| confirmation.title.clone())}</h2>
            <p class="confirm-words">{move || text(|confirmation| confirmation.text.clone())}</p>
            {answers}
        </Dialog>
    }
}
