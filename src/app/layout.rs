//! The layout: the sidebar, the screen for the current address, and the dialogs above both.

use leptos::prelude::*;

use super::connection_banner::connection_banner;
use crate::actions::use_actions;
use crate::browser::files;
use crate::features::announcements::Announcer;
use crate::features::new_session::NewSession;
use crate::features::rows::image_viewer::ImageViewer;
use crate::features::session::SessionPage;
use crate::features::session::branch::branch_screen;
use crate::features::settings::SettingsDialog;
use crate::features::shortcuts;
use crate::features::shortcuts::ShortcutList;
use crate::features::sidebar::Sidebar;
use crate::reactive::{effect, memo};
use crate::routes::Route;
use crate::widgets::confirm_dialog::ConfirmDialog;
use crate::widgets::focus;

/// The sidebar and the current screen. Installs the page-wide listeners for keys, focus and dragged files.
#[component]
pub fn Layout() -> impl IntoView {
    let actions = use_actions();
    shortcuts::listen();
    focus::restore_when_lost();
    let client = actions.client;
    let sidebar_open = client.sidebar_open;
    // The route is parsed by `routes`. For two screens, `leptos_router`'s `FlatRoutes` adds 15 KB to the page.
    // All sessions share a screen, which is not built again for the next one.
    let route = memo(move || match actions.route.get() {
        Route::Session(_) => Route::Session(String::new()),
        other => other,
    });
    let screen = move || match route.get() {
        Route::Session(_) => view! { <SessionScreen /> }.into_any(),
        Route::New => view! { <NewSession /> }.into_any(),
        Route::Branch { session, leaf } => branch_screen(session, leaf),
    };
    let close_on_escape = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Escape" && sidebar_open.get_untracked() {
            sidebar_open.set(false);
        }
    };
    // The drawer covers the page: move focus into it when it opens and back out when it closes.
    Effect::new(move |was_open: Option<bool>| {
        let is_open = sidebar_open.get();
        if was_open.is_some_and(|was_open| was_open != is_open) {
            focus::focus(if is_open { ".sidebar-close" } else { ".sessions-button" });
        }
        is_open
    });
    // A file dropped outside the session must not navigate away from the page.
    let dragged = actions.client.dragged;
    let on_dragover = move |event: leptos::ev::DragEvent| {
        if files::carries_files(event.data_transfer()) {
            event.prevent_default();
            dragged.set(true);
        }
    };
    let on_dragleave = move |event: leptos::ev::DragEvent| {
        if event.related_target().is_none() {
            dragged.set(false);
        }
    };
    let on_drop = move |event: leptos::ev::DragEvent| {
        dragged.set(false);
        if files::carries_files(event.data_transfer()) {
            event.prevent_default();
        }
    };
    view! {
        <div class="layout" class:sidebar-open=sidebar_open class:no-sidebar=actions.client.preferences.no_sidebar on:keydown=close_on_escape on:dragover=on_dragover on:dragleave=on_dragleave on:drop=on_drop>
            <Sidebar />
            <div class="scrim" aria-hidden="true" on:click=move |_| sidebar_open.set(false)></div>
            <div class="stage">
                {connection_banner()}
                {screen}
            </div>
            <ConfirmDialog />
            <ShortcutList />
            <SettingsDialog />
            <ImageViewer />
            <Announcer />
        </div>
    }
}

/// The session that the address names.
#[component]
fn SessionScreen() -> impl IntoView {
    let actions = use_actions();
    let shown = RwSignal::new(None);
    effect(move || {
        if let Route::Session(id) = actions.route.get() {
            // Removing a focused element makes the browser lay out both screens: blur it first.
            focus::blur_in_main();
            shown.set(Some(actions.open(&id)));
        }
    });
    move || shown.get().map(|session| view! { <SessionPage session /> })
}
