//! The form for a new session: the agent and the folder.

mod agent_choice;
mod agent_sessions;
mod folder_picker;

use leptos::prelude::*;
use web_sys::Element;

use self::agent_choice::{agent_choice, selected_agent};
use self::agent_sessions::agent_sessions;
use self::folder_picker::folder_picker;
use super::title_bar::SessionsButton;
use crate::actions::{Actions, use_actions};
use crate::browser::local_storage;
use crate::dom::build::{glyph, hand_built, on, with_attributes, with_children};
use crate::dom::element::{append, clear, set, toggle_attribute, with_class, with_text};
use crate::dom::keyed_list::render_effect;
use crate::reactive::memo;
use crate::widgets::icon::Icon;

/// The storage key of the agent used last.
const LAST_AGENT: &str = "last-agent";

/// The form for a new session.
#[component]
pub fn NewSession() -> impl IntoView {
    let actions = use_actions();
    view! {
        <main class="new-session" data-state="idle">
            <div class="drawer-bar"><SessionsButton /></div>
            {hand_built("contents", move |place| build(place, actions))}
        </main>
    }
}

fn build(place: &Element, actions: Actions) {
    let server = actions.server;
    let problem = RwSignal::new(None::<String>);
    let creating = RwSignal::new(false);
    // The agent and the folder that the user has chosen, if any.
    let chosen_agent = RwSignal::new(None::<String>);
    let chosen_folder = RwSignal::new(None::<String>);
    let last_agent = local_storage::get(LAST_AGENT);
    let agent = memo(move || {
        // An agent's problem may be reported only after it was chosen.
        let preferred = [chosen_agent.get(), last_agent.clone()];
        server.agents.with(|agents| selected_agent(agents, &preferred)).unwrap_or_default()
    });
    let folder = memo(move || chosen_folder.get().unwrap_or_else(|| server.default_cwd.get()));

    let words = with_text("span", "", "");
    let left_behind = with_children("p", "left-behind", &[&glyph(Icon::Info), &words]);
    set(&left_behind, "role", "status");
    let lead = with_class("p", "lead");
    let parts = with_class("div", "contents");
    let heading = with_text("h1", "", "New session");
    let form = with_children("form", "new-session-form", &[&left_behind, &heading, &lead, &parts]);
    append(place, &form);
    on(&form, "submit", move |event| {
        event.prevent_default();
        if creating.get_untracked() {
            return;
        }
        creating.set(true);
        problem.set(None);
        local_storage::set(LAST_AGENT, &agent.get_untracked());
        actions.create_session(agent.get_untracked(), folder.get_untracked(), move |error| {
            creating.try_set(false);
            problem.try_set(Some(error));
        });
    });
    let is_known = memo(move || server.known.get());
    let is_first_run = memo(move || is_known.get() && server.sessions().with(Vec::is_empty));
    render_effect(Box::new(move || {
        let removed = actions.client.removed_title.get();
        toggle_attribute(&left_behind, "hidden", removed.is_none().then_some(""));
        words.set_text_content(removed.as_deref().map(removed_text).as_deref());
        lead.set_text_content(Some(if is_first_run.get() {
            "Welcome to Pilothouse. Choose an agent and a folder, or try the demo."
        } else {
            "Choose an agent and a folder."
        }));
    }));
    render_effect(Box::new(move || {
        let is_known = is_known.get();
        untrack(|| {
            clear(&parts);
            if !is_known {
                let loading = with_text("p", "faint", "Loading agents…");
                set(&loading, "role", "status");
                return append(&parts, &loading);
            }
            agent_choice(&parts, actions, agent, chosen_agent);
            folder_picker(&parts, actions, folder, chosen_folder);
            agent_sessions(&parts, actions, agent, folder);
            let alert = with_attributes("p", &[("class", "problem"), ("role", "alert")]);
            let submit = with_attributes("button", &[("type", "submit"), ("class", "button primary large")]);
            append(&parts, &alert);
            append(&parts, &with_children("div", "form-end", &[&submit]));
            render_effect(Box::new(move || {
                alert.set_text_content(problem.get().as_deref());
                let is_creating = creating.get();
                submit.set_text_content(Some(if is_creating { "Creating…" } else { "Create session" }));
                let is_off = is_creating || agent.with(String::is_empty);
                toggle_attribute(&submit, "disabled", is_off.then_some(""));
            }));
        });
    }));
}

/// Explains why the form replaced the open session.
fn removed_text(title: &str) -> String {
    match title {
        "" => "The session that was open here was deleted.".to_owned(),
        title => format!("“{title}” was deleted."),
    }
}
