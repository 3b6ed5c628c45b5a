//! The form for a new session: the agent and the folder.

mod agent_choice;
mod folder_picker;

use leptos::prelude::*;

use self::agent_choice::{AgentChoice, default_agent};
use self::folder_picker::FolderPicker;
use super::title_bar::SessionsButton;
use crate::actions::use_actions;
use crate::browser::local_storage;
use crate::reactive::effect;
use crate::widgets::icon::{Glyph, Icon};

/// The storage key of the agent used last.
const LAST_AGENT: &str = "last-agent";

/// The form for a new session.
#[component]
pub fn NewSession() -> impl IntoView {
    let actions = use_actions();
    let server = actions.server;
    let agent = RwSignal::new(String::new());
    let folder = RwSignal::new(String::new());
    let problem = RwSignal::new(None::<String>);
    let creating = RwSignal::new(false);
    effect(move || {
        let default =
            server.agents.with(|agents| default_agent(agents, local_storage::get(LAST_AGENT).as_deref()));
        // An agent's problem may be reported only after it was selected.
        let is_usable = server.agents.with(|agents| {
            agents
                .iter()
                .any(|known| known.problem.is_none() && agent.with_untracked(|chosen| *chosen == known.name))
        });
        if !is_usable {
            agent.set(default.unwrap_or_default());
        }
    });
    effect(move || {
        let default = server.default_cwd.get();
        if folder.with_untracked(String::is_empty) {
            folder.set(default);
        }
    });
    let create = move || {
        if creating.get_untracked() {
            return;
        }
        creating.set(true);
        problem.set(None);
        local_storage::set(LAST_AGENT, &agent.get_untracked());
        actions.create(agent.get_untracked(), folder.get_untracked(), move |error| {
            creating.try_set(false);
            problem.try_set(Some(error));
        });
    };
    let first_run = move || server.known.get() && server.sessions.with(Vec::is_empty);
    let lead = move || {
        if first_run() {
            "Welcome aboard. Choose who works and where; the demo is always there to try things out."
        } else {
            "Choose who works, and in which folder."
        }
    };
    view! {
        <main class="new-session" data-state="idle">
            <div class="drawer-bar"><SessionsButton /></div>
            <form
                class="new-session-form"
                on:submit=move |event: leptos::ev::SubmitEvent| { event.prevent_default(); create() }
            >
                <Show when=move || actions.client.left.with(Option::is_some)>
                    <p class="left-behind" role="status">
                        <Glyph icon=Icon::Info />
                        {move || actions.client.left.with(|title| removed_text(title.as_deref().unwrap_or_default()))}
                    </p>
                </Show>
                <h1>"New session"</h1>
                <p class="lead">{lead}</p>
                <Show
                    when=move || server.known.get()
                    fallback=|| view! { <p class="faint" role="status">"Asking the server what it offers…"</p> }
                >
                    <AgentChoice agents=server.agents.into() chosen=agent />
                    <FolderPicker folder />
                    <p class="problem" role="alert">{move || problem.get()}</p>
                    <div class="form-end">
                        <button
                            type="submit"
                            class="button primary large"
                            disabled=move || creating.get() || agent.with(String::is_empty)
                        >
                            {move || if creating.get() { "Creating…" } else { "Create session" }}
                        </button>
                    </div>
                </Show>
            </form>
        </main>
    }
}

/// Explains why the form replaced the open session.
fn removed_text(title: &str) -> String {
    match title {
        "" => "The session that was open here has been removed.".to_owned(),
        title => format!("The session “{title}” has been removed."),
    }
}
