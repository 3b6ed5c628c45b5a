//! Sidebar and main region, and which screen the address asks for.

use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_location, use_navigate};
use wasm_bindgen::JsCast;

use super::connection_banner::ConnectionBanner;
use crate::actions::use_actions;
use crate::browser::files;
use crate::features::announcements::Announcer;
use crate::features::new_session::NewSession;
use crate::features::rows::image_viewer::Viewer;
use crate::features::session::SessionPage;
use crate::features::shortcuts;
use crate::features::shortcuts::ShortcutList;
use crate::features::sidebar::Sidebar;
use crate::routes;
use crate::routes::Route;
use crate::widgets::confirm_dialog::ConfirmDialog;
use crate::widgets::focus;

#[component]
pub fn Layout() -> impl IntoView {
    let actions = use_actions();
    shortcuts::listen();
    focus::watch();
    let client = actions.client;
    let open = client.sidebar_open;
    let navigate = use_navigate();
    actions.navigate_with(move |path| navigate(path, NavigateOptions::default()));
    // Two screens need no table of routes, which is most of what a router weighs.
    let address = use_location().pathname;
    let shown = Memo::new(move |_| routes::of_path(&address.get()));
    Effect::new(move |_| actions.route.set(shown.get()));
    let screen = move || {
        // What has the keyboard goes: a browser that finds that out by itself lays out both screens for it.
        focus::let_go();
        match shown.get() {
            Route::New => view! { <NewSession /> }.into_any(),
            Route::Session(id) => view! { <SessionPage session=actions.open(&id) /> }.into_any(),
        }
    };
    let close_on_escape = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Escape" && open.get_untracked() {
            open.set(false);
        }
    };
    // The drawer covers the page: the keyboard goes where the eye is.
    Effect::new(move |before: Option<bool>| {
        let now = open.get();
        let to = if now { ".sidebar-close" } else { ".sessions-button" };
        if before.is_some_and(|before| before != now)
            && let Ok(Some(button)) = document().query_selector(to)
        {
            let _ = button.unchecked_into::<web_sys::HtmlElement>().focus();
        }
        now
    });
    // A file that misses the session must not take the page's place.
    let dragged = actions.client.dragged;
    let over = move |event: leptos::ev::DragEvent| {
        if files::carries_files(event.data_transfer()) {
            event.prevent_default();
            dragged.set(true);
        }
    };
    let left = move |event: leptos::ev::DragEvent| {
        if event.related_target().is_none() {
            dragged.set(false);
        }
    };
    let dropped = move |event: leptos::ev::DragEvent| {
        dragged.set(false);
        if files::carries_files(event.data_transfer()) {
            event.prevent_default();
        }
    };
    view! {
        <div class="layout" class:sidebar-open=open class:no-sidebar=actions.client.preferences.no_sidebar on:keydown=close_on_escape on:dragover=over on:dragleave=left on:drop=dropped>
            <Sidebar />
            <div class="scrim" aria-hidden="true" on:click=move |_| open.set(false)></div>
            <div class="stage">
                <ConnectionBanner />
                {screen}
            </div>
            <ConfirmDialog />
            <ShortcutList />
            <Viewer />
            <Announcer />
        </div>
    }
}
