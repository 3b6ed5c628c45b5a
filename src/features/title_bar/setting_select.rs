//! A select for a session setting with a few values, such as the thinking level or the mode. Without options, it shows
//! just the current value.

use leptos::prelude::*;

use crate::widgets::icon::{Glyph, Icon};

/// A select, or plain text if there are no options.
#[component]
pub fn SettingSelect(
    /// The accessible name of the setting.
    label: &'static str,
    /// The options, each as its value, name and description.
    options: Memo<Vec<(String, String, String)>>,
    /// The current value.
    current: Signal<String>,
    /// Called with the chosen value.
    choose: Callback<String>,
) -> impl IntoView {
    move || {
        let options = options.get();
        if options.is_empty() {
            view! { <span class="title-setting" title=label>{move || current.get()}</span> }.into_any()
        } else {
            select(label, options, current, choose)
        }
    }
}

fn select(
    label: &'static str,
    options: Vec<(String, String, String)>,
    current: Signal<String>,
    choose: Callback<String>,
) -> AnyView {
    let names: Vec<(String, String)> =
        options.iter().map(|(value, name, _)| (value.clone(), name.clone())).collect();
    let name = move || {
        let current = current.get();
        names.iter().find(|(value, _)| *value == current).map_or(current.clone(), |(_, name)| name.clone())
    };
    let options = options.into_iter().map(|(value, name, description)| {
        let own_value = value.clone();
        let selected = move || current.with(|current| *current == own_value);
        view! { <option value=value title=description selected=selected>{name}</option> }
    });
    view! {
        <span class="title-select">
            <span aria-hidden="true">{name}</span>
            <Glyph icon=Icon::Chevron class="down" />
            <select
                aria-label=label
                title=label
                prop:value=move || current.get()
                on:change:target=move |event| choose.run(event.target().value())
            >
                {options.collect_view()}
            </select>
        </span>
    }
    .into_any()
}
