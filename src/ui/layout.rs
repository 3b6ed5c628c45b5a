//! Sidebar and main region.

use leptos::prelude::*;
use leptos_router::components::{Route, Routes};
use leptos_router::hooks::{use_navigate, use_params_map};
use leptos_router::{NavigateOptions, path};
use wasm_bindgen::JsCast;

use super::confirm::ConfirmDialog;
use super::connection::ConnectionBanner;
use super::dynamic::{clicked, live, memo};
use super::new_session::NewSession;
use super::session_page::SessionPage;
use super::sidebar::Sidebar;
use crate::actions::use_actions;
use crate::route;

#[component]
pub fn Layout() -> impl IntoView {
    let actions = use_actions();
    let open = actions.client.sidebar_open;
    let navigate = use_navigate();
    actions.navigate_with(move |to| navigate(&route::path_below_base(to), NavigateOptions::default()));
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
    view! {
        <div class="layout" class:sidebar-open=open on:keydown=close_on_escape>
            <Sidebar />
            <div class="scrim" aria-hidden="true" on:click=clicked(move |_| open.set(false))></div>
            <div class="stage">
                <ConnectionBanner />
                <Routes fallback=NewRoute>
                    <Route path=path!("/") view=NewRoute />
                    <Route path=path!("/s/:id") view=SessionRoute />
                </Routes>
            </div>
            <ConfirmDialog />
        </div>
    }
}

#[component]
fn NewRoute() -> impl IntoView {
    use_actions().route.set(route::Route::New);
    view! { <NewSession /> }
}

#[component]
fn SessionRoute() -> impl IntoView {
    let actions = use_actions();
    let parameters = use_params_map();
    let id = memo(move || parameters.with(|parameters| parameters.get("id").unwrap_or_default()));
    live(move || {
        let id = id.get();
        actions.route.set(route::Route::Session(id.clone()));
        view! { <SessionPage session=actions.open(&id) /> }.into_any()
    })
}
