//! Asks before something is done that cannot simply be undone. Nothing but its own button says yes.

use leptos::prelude::*;

use super::dialog::Dialog;
use crate::actions::use_actions;

#[component]
pub fn ConfirmDialog() -> impl IntoView {
    let question = use_actions().client.confirmation;
    let open = Signal::derive(move || question.with(Option::is_some));
    let close = Callback::new(move |()| question.set(None));
    let read = move |read: fn(&crate::store::client::Confirmation) -> String| {
        question.with(|question| question.as_ref().map(read).unwrap_or_default())
    };
    let yes = move |_| {
        if let Some(question) = question.get_untracked() {
            (question.act)();
        }
        question.set(None);
    };
    let class = move || match question
        .with(|question| question.as_ref().is_some_and(|question| question.destructive))
    {
        true => "button danger",
        false => "button primary",
    };
    view! {
        <Dialog open close class="confirm" label="Please confirm">
            <h2 class="confirm-title">{move || read(|question| question.title.clone())}</h2>
            <p class="confirm-words">{move || read(|question| question.words.clone())}</p>
            <div class="ask-answers spread">
                <button type="button" class="button" on:click=move |_| question.set(None)>"Cancel"</button>
                <button type="button" class=class on:click=yes>
                    {move || read(|question| question.yes.to_owned())}
                </button>
            </div>
        </Dialog>
    }
}
