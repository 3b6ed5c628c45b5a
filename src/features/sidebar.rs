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
use crate::actions::{Actions, use_actions};
use crate::reactive::memo;
use crate::routes;
use crate::routes::Route;
use crate::store::server::sessions::folder_name;
use crate::store::sidebar::{self, SessionGroup, SidebarList, SidebarView, list_of};
use crate::widgets::icon::{Glyph, Icon};

/// The lists that the sidebar shows. Tracks everything that they depend on.
pub fn sidebar_lists(actions: Actions) -> Vec<SidebarList> {
    let client = actions.client;
    let (query, show_archived) = (client.query.get(), client.show_archived.get());
    let open_id = match actions.route.get() {
        Route::Session(id) => id,
        Route::New => String::new(),
    };
    client.list_limits.with(|limits| {
        let view = SidebarView { query: &query, open_id: &open_id, show_archived, limits };
        actions.server.sessions().with(|sessions| sidebar::sidebar_lists(sessions, view))
    })
}

/// The sidebar; a drawer on narrow screens.
#[component]
pub fn Sidebar() -> impl IntoView {
    let actions = use_actions();
    let server = actions.server;
    let open_form = move |event: leptos::ev::MouseEvent| {
        if !opens_new_tab(&event) {
            event.prevent_default();
            actions.navigate_to(Route::New);
        }
    };
    let error = actions.client.error;
    let searching = memo(move || actions.client.query.with(|query| !query.trim().is_empty()));
    // Only ids: each row reads its own summary.
    let lists = memo(move || sidebar_lists(actions));
    view! {
        <nav class="sidebar" aria-label="Sessions">
            <div class="sidebar-head">
                <span class="brand"><Glyph icon=Icon::Wheel /> "Pilothouse"</span>
                <span class="sidebar-tools"><Settings /></span>
                <button
                    type="button"
                    class="button icon-only quiet sidebar-hide"
                    aria-label="Hide sidebar"
                    title="Hide sidebar"
                    on:click=move |_| actions.client.toggle_sidebar()
                >
                    <Glyph icon=Icon::Menu />
                </button>
                <button
                    type="button"
                    class="button icon-only quiet sidebar-close"
                    aria-label="Close sidebar"
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
                <Show when=move || searching.get() fallback=move || view! { <SessionGroups lists /> }>
                    <SearchResults lists />
                </Show>
                <Show when=move || server.known.get() && server.sessions().with(Vec::is_empty) && !searching.get()>
                    <p class="sidebar-empty">"No sessions yet. Create one to get started."</p>
                </Show>
            </SessionLists>
        </nav>
    }
}

/// The session lists: pinned, by folder, archived.
#[component]
fn SessionGroups(lists: Memo<Vec<SidebarList>>) -> impl IntoView {
    let show_archived = use_actions().client.show_archived;
    let groups = move || {
        let is_above_archive =
            |group: &&SessionGroup| matches!(group, SessionGroup::Pinned | SessionGroup::Folder(_));
        lists.with(|lists| {
            lists.iter().map(|list| &list.group).filter(is_above_archive).cloned().collect::<Vec<_>>()
        })
    };
    let render = move |group: SessionGroup| {
        let (name, title) = match &group {
            SessionGroup::Folder(cwd) => (folder_name(cwd).to_owned(), cwd.clone()),
            _ => ("Pinned".to_owned(), String::new()),
        };
        view! {
            <section class="folder">
                <h2 class="folder-name" title=title>{name}</h2>
                <SessionList lists group />
            </section>
        }
        .into_any()
    };
    let archived_count = memo(move || {
        lists.with(|lists| list_of(lists, &SessionGroup::Archived).map_or(0, |list| list.total))
    });
    view! {
        <For each=groups key=SessionGroup::key children=render />
        <Show when=move || { archived_count.get() > 0 }>
            <section class="folder archived">
                <button
                    type="button"
                    class="folder-name folder-toggle"
                    aria-expanded=move || show_archived.get().to_string()
                    on:click=move |_| show_archived.update(|show| *show = !*show)
                >
                    <Glyph icon=Icon::Chevron class="chevron" />
                    "Archived"
                    <span class="count">{move || archived_count.get().to_string()}</span>
                </button>
                <Show when=move || show_archived.get()>
                    <SessionList lists group=SessionGroup::Archived />
                </Show>
            </section>
        </Show>
    }
}
