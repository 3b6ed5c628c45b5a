//! Which model works, where the agent lets one choose; else just its name.

use leptos::prelude::*;
use pilothouse_core::protocol::SessionMetaStoreFields;
use pilothouse_core::protocol::event::ModelInfo;

use crate::actions::use_actions;
use crate::features::shortcuts::keys::Key;
use crate::store::server::Session;
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::listbox::{Choice, Choices, moved, option_id};
use crate::widgets::popover::{Popover, close_popover};

const LIST: &str = "models";

/// From this many on there is a field to search them.
const MANY: usize = 8;

#[component]
pub fn ModelPicker(session: Session) -> impl IntoView {
    let name = move || session.meta.model().with(|model| model.as_ref().map(name_of).unwrap_or_default());
    let can_choose = Memo::new(move |_| session.meta.capabilities().with(|can| can.models));
    move || {
        if !can_choose.get() {
            return view! { <span class="title-model" title="Model">{name}</span> }.into_any();
        }
        let face = move || {
            let words = move || Some(name()).filter(|name| !name.is_empty()).unwrap_or("Model".to_owned());
            view! {
                <span class="visually-hidden">"Model: "</span>
                <span class="title-model">{words}</span>
                <Glyph icon=Icon::Chevron class="down" />
            }
        };
        view! {
            <Popover label="Model" class="button quiet title-choice" face=face.into() panel="picker" role="dialog" worded=true>
                <Models session />
            </Popover>
        }
        .into_any()
    }
}

#[component]
fn Models(session: Session) -> impl IntoView {
    let actions = use_actions();
    let models = RwSignal::new(None::<Result<Vec<ModelInfo>, String>>);
    actions.models(session, move |found| {
        models.try_set(Some(found));
    });
    let query = RwSignal::new(String::new());
    let marked = RwSignal::new(0);
    let choices = Memo::new(move |_| {
        let query = query.get();
        let now = session.meta.model().get();
        models.with(|models| match models {
            Some(Ok(models)) => matching(models, &query, now.as_ref()),
            _ => Vec::new(),
        })
    });
    let pick = Callback::new(move |key: String| {
        close_popover();
        if let Some((provider, id)) = key.split_once('\n') {
            actions.set_model(session, provider.to_owned(), id.to_owned());
        }
    });
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        let count = choices.with_untracked(Vec::len);
        let key = Key::name_of(&event);
        if let Some(next) = moved(&key, marked.get_untracked(), count) {
            event.prevent_default();
            marked.set(next);
        } else if key == "Enter" {
            event.prevent_default();
            let key = choices
                .with_untracked(|all| all.get(marked.get_untracked()).map(|choice| choice.key.clone()));
            key.into_iter().for_each(|key| pick.run(key));
        }
    };
    let many = move || models.with(|models| matches!(models, Some(Ok(all)) if all.len() >= MANY));
    let words = move || {
        let none = choices.with(Vec::is_empty);
        models.with(|models| match models {
            None => Some("Asking the agent…".to_owned()),
            Some(Err(error)) => Some(error.clone()),
            Some(Ok(models)) if models.is_empty() => {
                Some("The agent knows no model. Give it one in its own settings.".to_owned())
            }
            Some(Ok(_)) => none.then(|| "No model is called like that.".to_owned()),
        })
    };
    view! {
        // The field is there for the keyboard also where it has nothing to search.
        <input
            class="picker-field"
            class:visually-hidden=move || !many()
            type="text"
            role="combobox"
            aria-label="Find a model"
            aria-expanded="true"
            aria-controls=LIST
            aria-activedescendant=move || option_id(LIST, marked.get())
            placeholder="Find a model…"
            autocomplete="off"
            on:input:target=move |event| { let value = event.target().value();
                query.set(value);
                marked.set(0);
            }
            on:keydown=on_key
        />
        <Show when=move || words().is_some()><p class="picker-words" role="status">{words}</p></Show>
        <Choices id=LIST label="Models" choices marked pick />
    }
}

fn name_of(model: &ModelInfo) -> String {
    if model.name.is_empty() { model.id.clone() } else { model.name.clone() }
}

/// Those in which every word of the query is found.
fn matching(models: &[ModelInfo], query: &str, now: Option<&ModelInfo>) -> Vec<Choice> {
    let query = query.to_lowercase();
    let fits = |model: &&ModelInfo| {
        let all = format!("{} {} {}", model.provider, model.id, model.name).to_lowercase();
        query.split_whitespace().all(|word| all.contains(word))
    };
    let choice = |model: &ModelInfo| {
        let name = name_of(model);
        Choice {
            key: format!("{}\n{}", model.provider, model.id),
            words: if name == model.id { String::new() } else { model.id.clone() },
            name,
            note: model.provider.clone(),
            current: now.is_some_and(|now| now.provider == model.provider && now.id == model.id),
        }
    };
    models.iter().filter(fits).map(choice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_counts_and_the_one_in_use_is_marked() {
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
        assert_eq!(all.iter().filter(|choice| choice.current).count(), 1, "of the same provider, too");
    }
}
