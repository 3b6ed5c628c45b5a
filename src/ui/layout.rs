//! Sidebar and main region, and which screen the address asks for.

use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::confirm::ConfirmDialog;
use super::connection::ConnectionBanner;
use super::dynamic::{clicked, live, memo};
use super::new_session::NewSession;
use super::session_page::SessionPage;
use super::sidebar::Sidebar;
use crate::actions::use_actions;
use crate::browser::{self, files};
use crate::route::{self, Route};

#[component]
pub fn Layout() -> impl IntoView {
    let actions = use_actions();
    let open = actions.client.sidebar_open;
    let shown = actions.route;
    let follow_address = move || shown.set(route::of_path(&browser::path()));
    follow_address();
    let _ = window_event_listener(leptos::ev::popstate, move |_| follow_address());
    actions.navigate_with(move |to| {
        if shown.with_untracked(|shown| shown != to) {
            browser::push_path(&route::path_of(to));
            shown.set(to.clone());
        }
    });
    let shown = memo(move || shown.get());
    let screen = move || match shown.get() {
        Route::New => view! { <NewSession /> }.into_any(),
        Route::Session(id) => view! { <SessionPage session=actions.open(&id) /> }.into_any(),
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
    // A file that misses the composer must not take the page's place.
    let keep_page = move |event: leptos::ev::DragEvent| {
        if files::carries_files(event.data_transfer()) {
            event.prevent_default();
        }
    };
    view! {
        <div class="layout" class:sidebar-open=open on:keydown=close_on_escape on:dragover=keep_page on:drop=keep_page>
            <Sidebar />
            <div class="scrim" aria-hidden="true" on:click=clicked(move |_| open.set(false))></div>
            <div class="stage">
                <ConnectionBanner />
                {live(screen)}
            </div>
            <ConfirmDialog />
        </div>
    }
}
