//! The session's model: a popover to choose another one if the agent supports it, otherwise just its name.

use leptos::prelude::*;
use pilothouse_core::protocol::SessionMetaStoreFields;
use pilothouse_core::protocol::event::ModelInfo;

use crate::actions::use_actions;
use crate::features::shortcuts::keys::KeyPress;
use crate::reactive::memo;
use crate::store::server::Session;
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::listbox::{ListOption, listbox, next_active, option_id};
use crate::widgets::popover::{Popover, close_popover};

const LIST_ID: &str = "models";

/// From this many models, the search field is visible.
const SEARCHABLE_FROM: usize = 8;

/// The name of the session's model, as a button where another model can be chosen.
#[component]
pub fn ModelPicker(session: Session) -> impl IntoView {
    let name = move || session.meta.model().with(|model| model.as_ref().map(model_name).unwrap_or_default());
    let can_choose = memo(move || session.meta.capabilities().with(|can| can.models));
    move || {
        if !can_choose.get() {
            return view! { <span class="title-model" title="Model">{name}</span> }.into_any();
        }
        let face = move || {
            let label = move || Some(name()).filter(|name| !name.is_empty()).unwrap_or("Model".to_owned());
            view! {
                <span class="visually-hidden">"Model: "</span>
                <span class="title-model">{label}</span>
                <Glyph icon=Icon::Chevron class="down" />
            }
        };
        view! {
            <Popover label="Model" class="button quiet title-choice" face=face.into() panel_class="picker" role="dialog" has_text=true>
                <ModelList session />
            </Popover>
        }
        .into_any()
    }
}

/// The models that the agent offers, with a field to search them.
#[component]
fn ModelList(session: Session) -> impl IntoView {
    let actions = use_actions();
    let models = RwSignal::new(None::<Result<Vec<ModelInfo>, String>>);
    actions.list_models(session, move |found| {
        models.try_set(Some(found));
    });
    let query = RwSignal::new(String::new());
    let active = RwSignal::new(0);
    let options = memo(move || {
        let query = query.get();
        let current = session.meta.model().get();
        models.with(|models| match models {
            Some(Ok(models)) => matching(models, &query, current.as_ref()),
            _ => Vec::new(),
        })
    });
    let pick = Callback::new(move |key: String| {
        close_popover();
        if let Some((provider, id)) = key.split_once('\n') {
            actions.set_model(session, provider.to_owned(), id.to_owned());
        }
    });
    let on_keydown = move |event: leptos::ev::KeyboardEvent| {
        let count = options.with_untracked(Vec::len);
        let key = KeyPress::name_of(&event);
        if let Some(next) = next_active(&key, active.get_untracked(), count) {
            event.prevent_default();
            active.set(next);
        } else if key == "Enter" {
            event.prevent_default();
            let key = options
                .with_untracked(|all| all.get(active.get_untracked()).map(|option| option.key.clone()));
            key.into_iter().for_each(|key| pick.run(key));
        }
    };
    let is_searchable =
        move || models.with(|models| matches!(models, Some(Ok(all)) if all.len() >= SEARCHABLE_FROM));
    let message = move || {
        let none = options.with(Vec::is_empty);
        models.with(|models| match models {
            None => Some("Loading models…".to_owned()),
            Some(Err(error)) => Some(error.clone()),
            Some(Ok(models)) if models.is_empty() => {
                Some("No models available. Set one up in the agent's own settings.".to_owned())
            }
            Some(Ok(_)) => none.then(|| "No matching models".to_owned()),
        })
    };
    view! {
        // Always present, if only visually hidden: it holds the focus for the arrow keys.
        <input
            class="picker-field"
            class:visually-hidden=move || !is_searchable()
            type="text"
            role="combobox"
            aria-label="Search models"
            aria-expanded="true"
            aria-controls=LIST_ID
            aria-activedescendant=move || option_id(LIST_ID, active.get())
            placeholder="Search models…"
            autocomplete="off"
            on:input:target=move |event| { let value = event.target().value();
                query.set(value);
                active.set(0);
            }
            on:keydown=on_keydown
        />
        <Show when=move || message().is_some()><p class="picker-words" role="status">{message}</p></Show>
        {listbox(LIST_ID, "Models", options, memo(move || active.get()), pick)}
    }
}

fn model_name(model: &ModelInfo) -> String {
    if model.name.is_empty() { model.id.clone() } else { model.name.clone() }
}

/// The models whose provider, id or name contain every word of the query.
fn matching(models: &[ModelInfo], query: &str, current: Option<&ModelInfo>) -> Vec<ListOption> {
    let query = query.to_lowercase();
    let matches = |model: &&ModelInfo| {
        let text = format!("{} {} {}", model.provider, model.id, model.name).to_lowercase();
        query.split_whitespace().all(|word| text.contains(word))
    };
    let option = |model: &ModelInfo| {
        let name = model_name(model);
        ListOption {
            key: format!("{}\n{}", model.provider, model.id),
            description: if name == model.id { String::new() } else { model.id.clone() },
            name,
            source: model.provider.clone(),
            current: current
                .is_some_and(|current| current.provider == model.provider && current.id == model.id),
        }
    };
    models.iter().filter(matches).map(option).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_must_match_and_the_model_in_use_is_current() {
        let model = |provider: &str, id: &str| ModelInfo {
            provider: provider.into(),
            id: id.into(),
            ..ModelInfo::default()
        };
        let models = [model("north", "large-2"), model("north", "small-2"), model("south", "large-2")];
        let found = matching(&models, "LARGE no", Some(&models[0]));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].name.as_str(), found[0].current), ("large-2", true));
        let all = matching(&models, "", Some(&models[0]));
        assert_eq!(
            all.iter().filter(|option| option.current).count(),
            1,
            "not the same id of another provider"
        );
    }
}
