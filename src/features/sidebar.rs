//! The sidebar: all sessions of all agents, pinned ones first, then by folder, newest first, then the archive. A search
//! replaces them with its results.

mod row;
pub mod session_label;
pub mod session_list;
pub mod session_menu;

use leptos::prelude::*;

use self::session_list::{SessionList, SessionLists, opens_new_tab};
use super::asks::tray::WaitingTray;
use super::search::{SearchField, SearchResults};
use super::settings::Settings;
use crate::actions::use_actions;
use crate::reactive::memo;
use crate::routes;
use crate::routes::Route;
use crate::store::server::sessions::{SessionGroup, folder_name, group_sessions};
use crate::widgets::icon::{Glyph, Icon};

/// The sidebar; a drawer on narrow screens.
#[component]
pub fn Sidebar() -> impl IntoView {
    let actions = use_actions();
    let server = actions.server;
    let open_form = move |event: leptos::ev::MouseEvent| {
        if !opens_new_tab(&event) {
            event.prevent_default();
            actions.go(Route::New);
        }
    };
    let error = actions.client.trouble;
    let searching = memo(move || actions.client.query.with(|query| !query.trim().is_empty()));
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
                on:click=open_form
            >
                <Glyph icon=Icon::Plus />
                "New session"
            </a>
            <SearchField />
            <WaitingTray />
            <Show when=move || error.with(Option::is_some)>
                <p class="sidebar-trouble" role="alert">
                    <span>{move || error.get()}</span>
                    <button type="button" class="button icon-only quiet" aria-label="Dismiss" on:click=move |_| error.set(None)>
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

/// The session lists: pinned, by folder, archived.
#[component]
fn SessionGroups() -> impl IntoView {
    let actions = use_actions();
    let show_archived = actions.client.show_archived;
    // Only ids: each row reads its own summary.
    let groups = memo(move || actions.server.sessions.with(|sessions| group_sessions(sessions)));
    let group_keys =
        move || groups.with(|all| all.groups.iter().map(|(group, _)| group.clone()).collect::<Vec<_>>());
    let render = move |group: SessionGroup| {
        let (name, title) = match &group {
            SessionGroup::Pinned => ("Pinned".to_owned(), String::new()),
            SessionGroup::Folder(cwd) => (folder_name(cwd).to_owned(), cwd.clone()),
        };
        let ids = Signal::derive(move || groups.with(|groups| groups.ids_in(&group)));
        view! {
            <section class="folder">
                <h2 class="folder-name" title=title>{name}</h2>
                <SessionList ids />
            </section>
        }
        .into_any()
    };
    let archived = Signal::derive(move || groups.with(|groups| groups.archived.clone()));
    view! {
        <For each=group_keys key=SessionGroup::key children=render />
        <Show when=move || groups.with(|groups| !groups.archived.is_empty())>
            <section class="folder archived">
                <button
                    type="button"
                    class="folder-name folder-toggle"
                    aria-expanded=move || show_archived.get().to_string()
                    on:click=move |_| show_archived.update(|show| *show = !*show)
                >
                    <Glyph icon=Icon::Chevron class="chevron" />
                    "Archived"
                    <span class="count">{move || groups.with(|groups| groups.archived.len().to_string())}</span>
                </button>
                <Show when=move || show_archived.get()><SessionList ids=archived /></Show>
            </section>
        </Show>
    }
}
