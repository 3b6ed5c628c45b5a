//! All sessions of all agents: pinned ones, then by folder, newest first; what was archived behind a button. While a
//! search is typed, what it finds stands in their place.

mod row;
pub mod session_list;
pub mod session_menu;
pub mod session_title;
mod state_mark;

use leptos::prelude::*;

use self::session_list::{SessionList, SessionLists, opens_elsewhere};
use super::asks::tray::WaitingTray;
use super::search::{SearchField, SearchResults};
use super::settings::Settings;
use crate::actions::use_actions;
use crate::routes;
use crate::routes::Route;
use crate::store::server::sessions::{SessionGroup, folder_name, shelves};
use crate::widgets::icon::{Glyph, Icon};

#[component]
pub fn Sidebar() -> impl IntoView {
    let actions = use_actions();
    let server = actions.server;
    let start_new = move |event: leptos::ev::MouseEvent| {
        if !opens_elsewhere(&event) {
            event.prevent_default();
            actions.go(Route::New);
        }
    };
    let trouble = actions.client.trouble;
    let searching = Memo::new(move |_| actions.client.query.with(|query| !query.trim().is_empty()));
    view! {
        <nav class="sidebar" aria-label="Sessions">
            <div class="sidebar-head">
                <span class="brand"><Glyph icon=Icon::Wheel /> "Pilothouse"</span>
                <span class="sidebar-tools"><Settings /></span>
                <button
                    type="button"
                    class="button icon-only quiet sidebar-hide"
                    aria-label="Hide the sidebar"
                    title="Hide the sidebar"
                    on:click=move |_| actions.client.toggle_sidebar()
                >
                    <Glyph icon=Icon::Menu />
                </button>
                <button
                    type="button"
                    class="button icon-only quiet sidebar-close"
                    aria-label="Close sessions"
                    on:click=move |_| actions.client.sidebar_open.set(false)
                >
                    <Glyph icon=Icon::Close />
                </button>
            </div>
            <a
                class="new-session-link"
                href=routes::path_of(&Route::New)
                aria-current=move || (actions.route.get() == Route::New).then_some("page")
                on:click=start_new
            >
                <Glyph icon=Icon::Plus />
                "New session"
            </a>
            <SearchField />
            <WaitingTray />
            <Show when=move || trouble.with(Option::is_some)>
                <p class="sidebar-trouble" role="alert">
                    <span>{move || trouble.get()}</span>
                    <button type="button" class="button icon-only quiet" aria-label="Dismiss" on:click=move |_| trouble.set(None)>
                        <Glyph icon=Icon::Close />
                    </button>
                </p>
            </Show>
            <SessionLists>
                <Show when=move || searching.get() fallback=|| view! { <SessionGroups /> }><SearchResults /></Show>
                <Show when=move || server.known.get() && server.sessions.with(Vec::is_empty) && !searching.get()>
                    <p class="sidebar-empty">"Sessions appear here."</p>
                </Show>
            </SessionLists>
        </nav>
    }
}

#[component]
fn SessionGroups() -> impl IntoView {
    let actions = use_actions();
    let show_archived = actions.client.show_archived;
    // Which sessions stand where; what a row says it reads for itself.
    let all = Memo::new(move |_| actions.server.sessions.with(|sessions| shelves(sessions)));
    let names =
        move || all.with(|all| all.shelves.iter().map(|(shelf, _)| shelf.clone()).collect::<Vec<_>>());
    let shelf = move |shelf: SessionGroup| {
        let (name, title) = match &shelf {
            SessionGroup::Pinned => ("Pinned".to_owned(), String::new()),
            SessionGroup::Folder(cwd) => (folder_name(cwd).to_owned(), cwd.clone()),
        };
        let ids = Signal::derive(move || all.with(|all| all.ids_on(&shelf)));
        view! {
            <section class="folder">
                <h2 class="folder-name" title=title>{name}</h2>
                <SessionList ids />
            </section>
        }
        .into_any()
    };
    let archived = Signal::derive(move || all.with(|all| all.archived.clone()));
    view! {
        <For each=names key=SessionGroup::key children=shelf />
        <Show when=move || all.with(|all| !all.archived.is_empty())>
            <section class="folder archived">
                <button
                    type="button"
                    class="folder-name folder-toggle"
                    aria-expanded=move || show_archived.get().to_string()
                    on:click=move |_| show_archived.update(|show| *show = !*show)
                >
                    <Glyph icon=Icon::Chevron class="chevron" />
                    "Archived"
                    <span class="count">{move || all.with(|all| all.archived.len().to_string())}</span>
                </button>
                <Show when=move || show_archived.get()><SessionList ids=archived /></Show>
            </section>
        </Show>
    }
}
