//! The root component: it checks access, connects to the server and renders the layout.

mod access_screen;
pub mod connection_banner;
mod layout;

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::components::Router;

use self::access_screen::access_screen;
use self::layout::Layout;
use crate::actions::Actions;
use crate::features::{notifications, settings};
use crate::net::access;
use crate::net::access::Access;
use crate::reactive::{effect, memo};
use crate::{browser, routes};

/// How often relative times ("3m") are refreshed.
const CLOCK_INTERVAL: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Screen {
    CheckingAccess,
    Layout,
    Access,
}

/// The whole page.
#[component]
pub fn App() -> impl IntoView {
    let code = access::take_code();
    view! {
        <Router base=routes::base().trim_end_matches('/')>
            <Page code />
        </Router>
    }
}

/// Creates the state, and renders the layout once the browser has access.
#[component]
fn Page(
    /// The pairing code from the address.
    code: Option<String>,
) -> impl IntoView {
    let actions = Actions::new();
    provide_context(actions);
    let client = actions.client;

    effect(move || {
        let connection = client.connection.get().name();
        if let Some(body) = document().body() {
            let _ = body.set_attribute("data-connection", connection);
        }
    });
    let _ = set_interval_with_handle(move || client.now.set(browser::now()), CLOCK_INTERVAL);
    client.set_hidden(browser::is_hidden());
    let _ = window_event_listener(leptos::ev::visibilitychange, move |_| {
        client.set_hidden(browser::is_hidden());
        // A phone may discard a hidden page without firing another event.
        if browser::is_hidden() {
            actions.save_before_unload();
        }
    });
    let _ = window_event_listener(leptos::ev::pagehide, move |_| actions.save_before_unload());
    settings::apply_preferences();
    notifications::start();
    if browser::is_touch() {
        browser::fit_above_keyboard();
    }
    spawn_local(async move { actions.set_access(access::enter(code).await) });

    let screen = memo(move || match client.access.get() {
        None => Screen::CheckingAccess,
        // An unreachable server counts as a missing connection: the page keeps trying to connect.
        Some(Access::Granted | Access::Unknown) => Screen::Layout,
        Some(Access::Denied(_)) => Screen::Access,
    });
    move || match screen.get() {
        Screen::CheckingAccess => ().into_any(),
        Screen::Layout => view! { <Layout /> }.into_any(),
        Screen::Access => access_screen(),
    }
}
