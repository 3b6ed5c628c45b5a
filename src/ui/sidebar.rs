//! All sessions of all agents, by folder, newest first.

use leptos::prelude::*;

use super::dynamic::{When, clicked, list, live, memo};
use super::icon::{Glyph, Icon};
use super::sidebar_row::SidebarRow;
use crate::actions::use_actions;
use crate::route::{self, Route};
use crate::state::server::sessions::{by_folder, folder_name};

#[component]
pub fn Sidebar() -> impl IntoView {
    let actions = use_actions();
    let server = actions.server;
    // Which folders there are and which sessions stand in them; what a row says it reads for itself.
    let folders = memo(move || {
        let folders = server.sessions.with(|sessions| by_folder(sessions));
        let ids = |sessions: Vec<pilothouse_core::wire::SessionSummary>| {
            sessions.into_iter().map(|session| session.id).collect::<Vec<_>>()
        };
        folders.into_iter().map(|folder| (folder.cwd, ids(folder.sessions))).collect::<Vec<_>>()
    });
    let start_new = move |event: leptos::ev::MouseEvent| {
        if !opens_elsewhere(&event) {
            event.prevent_default();
            actions.go(Route::New);
        }
    };
    let names = move || folders.with(|folders| folders.iter().map(|(cwd, _)| cwd.clone()).collect());
    let folder = move |cwd: String| {
        let name = folder_name(&cwd).to_owned();
        let ids = {
            let cwd = cwd.clone();
            move || folders.with(|folders| ids_in(folders, &cwd))
        };
        view! {
            <section class="folder">
                <h2 class="folder-name" title=cwd>{name}</h2>
                <ul>
                    {list(ids, String::clone, |id| view! { <li><SidebarRow id /></li> }.into_any())}
                </ul>
            </section>
        }
        .into_any()
    };
    view! {
        <nav class="sidebar" aria-label="Sessions">
            <div class="sidebar-head">
                <span class="brand"><Glyph icon=Icon::Wheel /> "Pilothouse"</span>
                <button
                    type="button"
                    class="button icon-only quiet sidebar-close"
                    aria-label="Close sessions"
                    on:click=clicked(move |_| actions.client.sidebar_open.set(false))
                >
                    <Glyph icon=Icon::Close />
                </button>
            </div>
            <a
                class="new-session-link"
                href=route::path_of(&Route::New)
                aria-current=live(move || (actions.route.get() == Route::New).then_some("page"))
                on:click=clicked(start_new)
            >
                <Glyph icon=Icon::Plus />
                "New session"
            </a>
            <div class="sidebar-list">
                <When when=move || server.known.get() && server.sessions.with(Vec::is_empty)>
                    <p class="sidebar-empty">"Sessions appear here."</p>
                </When>
                {list(names, String::clone, folder)}
            </div>
        </nav>
    }
}

fn ids_in(folders: &[(String, Vec<String>)], cwd: &str) -> Vec<String> {
    let folder = folders.iter().find(|(folder, _)| folder == cwd);
    folder.map(|(_, ids)| ids.clone()).unwrap_or_default()
}

/// The person asked the browser for a new tab or window.
pub fn opens_elsewhere(event: &leptos::ev::MouseEvent) -> bool {
    event.ctrl_key() || event.meta_key() || event.shift_key() || event.button() != 0
}
