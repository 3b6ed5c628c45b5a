//! A setting of the session that is one of a few: how hard the model thinks, in which way the agent works. Where there
//! is nothing to choose, what holds is just said.

use leptos::prelude::*;

use crate::widgets::icon::{Glyph, Icon};

#[component]
pub fn SettingSelect(
    label: &'static str,
    /// What can be chosen, with its name and what it means.
    options: Memo<Vec<(String, String, String)>>,
    now: Signal<String>,
    choose: Callback<String>,
) -> impl IntoView {
    move || {
        let options = options.get();
        if options.is_empty() {
            view! { <span class="title-setting" title=label>{move || now.get()}</span> }.into_any()
        } else {
            choice(label, options, now, choose)
        }
    }
}

fn choice(
    label: &'static str,
    options: Vec<(String, String, String)>,
    now: Signal<String>,
    choose: Callback<String>,
) -> AnyView {
    let names: Vec<(String, String)> =
        options.iter().map(|(value, name, _)| (value.clone(), name.clone())).collect();
    let name = move || {
        let now = now.get();
        names.iter().find(|(value, _)| *value == now).map_or(now.clone(), |(_, name)| name.clone())
    };
    let options = options.into_iter().map(|(value, name, words)| {
        let own = value.clone();
        let selected = move || now.with(|now| *now == own);
        view! { <option value=value title=words selected=selected>{name}</option> }
    });
    view! {
        <span class="title-select">
            <span aria-hidden="true">{name}</span>
            <Glyph icon=Icon::Chevron class="down" />
            <select
                aria-label=label
                title=label
                prop:value=move || now.get()
                on:change:target=move |event| choose.run(event.target().value())
            >
                {options.collect_view()}
            </select>
        </span>
    }
    .into_any()
}
