//! The form for a new session: the agent and the folder.

mod agent_choice;
mod agent_sessions;
mod folder_picker;

use leptos::prelude::*;

pub use self::agent_choice::append_needs;
use self::agent_choice::{agent_choice, selected_agent};
use self::agent_sessions::agent_sessions;
use self::folder_picker::folder_picker;
use super::title_bar::SessionsButton;
use crate::actions::use_actions;
use crate::browser::local_storage;
use crate::reactive::memo;
use crate::widgets::icon::{Glyph, Icon};

/// The storage key of the agent used last.
const LAST_AGENT: &str = "last-agent";

/// The form for a new session.
#[component]
pub fn NewSession() -> impl IntoView {
    let actions = use_actions();
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
    let create = move || {
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
    };
    let first_run = move || server.known.get() && server.sessions().with(Vec::is_empty);
    let lead = move || {
        if first_run() {
            "Welcome to Pilothouse. Choose an agent and a folder, or try the demo."
        } else {
            "Choose an agent and a folder."
        }
    };
    view! {
        <main class="new-session" data-state="idle">
            <div class="drawer-bar"><SessionsButton /></div>
            <form
                class="new-session-form"
                on:submit=move |event: leptos::ev::SubmitEvent| { event.prevent_default(); create() }
            >
                <Show when=move || actions.client.removed_title.with(Option::is_some)>
                    <p class="left-behind" role="status">
                        <Glyph icon=Icon::Info />
                        {move || actions.client.removed_title.with(|title| removed_text(title.as_deref().unwrap_or_default()))}
                    </p>
                </Show>
                <h1>"New session"</h1>
                <p class="lead">{lead}</p>
                <Show
                    when=move || server.known.get()
                    fallback=|| view! { <p class="faint" role="status">"Loading agents…"</p> }
                >
                    {agent_choice(agent, chosen_agent)}
                    {folder_picker(folder, chosen_folder)}
                    {agent_sessions(agent, folder)}
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
        "" => "The session that was open here was deleted.".to_owned(),
        title => format!("“{title}” was deleted."),
    }
}
