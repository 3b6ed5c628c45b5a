//! The dialog that asks for confirmation before an action that cannot be undone. Only its own button confirms.

use leptos::prelude::*;

use super::dialog::Dialog;
use crate::actions::use_actions;
use crate::store::client::Confirmation;

/// Shows `client.confirmation` while one is set.
#[component]
pub fn ConfirmDialog() -> impl IntoView {
    let confirmation = use_actions().client.confirmation;
    let open = Signal::derive(move || confirmation.with(Option::is_some));
    let close = Callback::new(move |()| confirmation.set(None));
    let text = move |read: fn(&Confirmation) -> String| {
        confirmation.with(|confirmation| confirmation.as_ref().map(read).unwrap_or_default())
    };
    let confirm = move |_| {
        if let Some(confirmation) = confirmation.get_untracked() {
            (confirmation.action)();
        }
        confirmation.set(None);
    };
    let is_destructive =
        move || confirmation.with(|confirmation| confirmation.as_ref().is_some_and(|it| it.destructive));
    let class = move || if is_destructive() { "button danger" } else { "button primary" };
    view! {
        <Dialog open close class="confirm" label="Confirm">
            <h2 class="confirm-title">{move || text(|confirmation| confirmation.title.clone())}</h2>
            <p class="confirm-words">{move || text(|confirmation| confirmation.text.clone())}</p>
            <div class="ask-answers spread">
                <button type="button" class="button" on:click=move |_| confirmation.set(None)>"Cancel"</button>
                <button type="button" class=class on:click=confirm>
                    {move || text(|confirmation| confirmation.confirm_label.to_owned())}
                </button>
            </div>
        </Dialog>
    }
}
