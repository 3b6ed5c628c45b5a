//! How hard the model thinks, where the agent lets one choose.

use leptos::prelude::*;

use super::dynamic::{entered, live, memo};
use crate::actions::use_actions;
use crate::state::server::Session;

#[component]
pub fn ThinkingLevel(session: Session) -> impl IntoView {
    let actions = use_actions();
    let levels = memo(move || session.capabilities.with(|can| can.thinking_levels.clone()));
    let level = move || session.thinking_level.get();
    live(move || {
        let levels = levels.get();
        if levels.is_empty() {
            return view! { <span class="title-thinking" title="Thinking level">{live(level)}</span> }
                .into_any();
        }
        let options = levels.into_iter().map(|level| {
            let own = level.clone();
            let selected = move || session.thinking_level.with(|now| *now == own);
            view! { <option value=level.clone() selected=live(selected)>{level.clone()}</option> }
        });
        view! {
            <select
                class="title-thinking"
                aria-label="Thinking level"
                title="Thinking level"
                prop:value=live(level)
                on:change=entered(move |value| actions.set_thinking_level(session, value))
            >
                {options.collect_view()}
            </select>
        }
        .into_any()
    })
}
