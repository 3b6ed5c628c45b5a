//! The sidebar: all sessions of all agents, pinned ones first, then by folder, newest first, then the archive. A search
//! replaces them with its results.

mod row;
pub mod session_label;
pub mod session_list;
pub mod session_menu;

use leptos::prelude::*;

use self::session_list::{SessionLists, opens_new_tab, session_list};
use super::asks::tray::WaitingTray;
use super::search::{SearchField, SearchResults};
use super::settings::Settings;
use crate::actions::{Actions, use_actions};
use crate::dom::build::{button, glyph, hand_built, rebuilt, with_children};
use crate::dom::element::{append, clear, set, with_class, with_text};
use crate::dom::keyed_list::{render_effect, render_keyed};
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
    let open_id = actions.route.with(|route| route.session_id().unwrap_or_default().to_owned());
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
                <Show when=move || searching.get() fallback=move || session_groups(actions, lists)>
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
fn session_groups(actions: Actions, lists: Memo<Vec<SidebarList>>) -> AnyView {
    let show_archived = actions.client.show_archived;
    let groups = move || {
        let is_above_archive =
            |group: &&SessionGroup| matches!(group, SessionGroup::Pinned | SessionGroup::Folder(_));
        lists.with(|lists| {
            lists.iter().map(|list| &list.group).filter(is_above_archive).cloned().collect::<Vec<_>>()
        })
    };
    let archived_count = memo(move || {
        lists.with(|lists| list_of(lists, &SessionGroup::Archived).map_or(0, |list| list.total))
    });
    let has_archived = memo(move || archived_count.get() > 0);
    let groups = hand_built("contents", move |place| {
        render_keyed(place.clone(), groups, move |group: &SessionGroup| {
            let (name, title) = match group {
                SessionGroup::Folder(cwd) => (folder_name(cwd), cwd.as_str()),
                _ => ("Pinned", ""),
            };
            let heading = with_text("h2", "folder-name", name);
            set(&heading, "title", title);
            let section = with_children("section", "folder", &[&heading]);
            session_list(&section, actions, lists, group.clone());
            section
        });
    });
    let archive = rebuilt("contents", move |place| {
        if !has_archived.get() {
            return;
        }
        let toggle = button("folder-name folder-toggle", None, "", move || {
            show_archived.update(|show| *show = !*show)
        });
        let chevron = glyph(Icon::Chevron);
        chevron.set_class_name("icon chevron");
        let count = with_class("span", "count");
        append(&toggle, &chevron);
        append(&toggle, &document().create_text_node("Archived"));
        append(&toggle, &count);
        let list = with_class("div", "");
        append(place, &with_children("section", "folder archived", &[&toggle, &list]));
        render_effect(Box::new(move || count.set_text_content(Some(&archived_count.get().to_string()))));
        render_effect(Box::new(move || {
            clear(&list);
            let shows = show_archived.get();
            set(&toggle, "aria-expanded", if shows { "true" } else { "false" });
            if shows {
                session_list(&list, actions, lists, SessionGroup::Archived);
            }
        }));
    });
    [groups, archive].into_any()
}
