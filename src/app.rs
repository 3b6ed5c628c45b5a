//! The page as a whole: who may enter, and what surrounds every screen.

mod access_screen;
pub mod connection_banner;
mod layout;

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::components::Router;

use self::access_screen::AccessScreen;
use self::layout::Layout;
use crate::actions::Actions;
use crate::features::notifications;
use crate::net::access;
use crate::net::access::Access;
use crate::{browser, routes};

const TICK: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Asking,
    Inside,
    Outside,
}

#[component]
pub fn App() -> impl IntoView {
    let actions = Actions::make();
    provide_context(actions);
    let client = actions.client;

    Effect::new(move |_| {
        let connection = client.connection.get().name();
        if let Some(body) = document().body() {
            let _ = body.set_attribute("data-connection", connection);
        }
    });
    let _ = set_interval_with_handle(move || client.now.set(browser::now()), TICK);
    client.hidden.set(browser::is_hidden());
    let _ = window_event_listener(leptos::ev::visibilitychange, move |_| {
        client.hidden.set(browser::is_hidden());
        // A phone may end a page that nobody sees without another word.
        if browser::is_hidden() {
            actions.keep_all();
        }
    });
    let _ = window_event_listener(leptos::ev::pagehide, move |_| actions.keep_all());
    notifications::attend();
    if browser::is_touch() {
        browser::stay_above_keyboard();
    }
    spawn_local(async move {
        let access = access::enter().await;
        client.access.set(Some(access));
    });
    // Also after access was lost and given again.
    Effect::new(move |_| {
        if matches!(client.access.get(), Some(Access::Granted | Access::Unknown)) {
            actions.connect();
        }
    });

    let stage = Memo::new(move |_| match client.access.get() {
        None => Stage::Asking,
        // A server that cannot be asked is a connection that is not there yet: the page keeps trying.
        Some(Access::Granted | Access::Unknown) => Stage::Inside,
        Some(Access::Denied | Access::Limited) => Stage::Outside,
    });
    move || match stage.get() {
        Stage::Asking => ().into_any(),
        Stage::Inside => {
            view! { <Router base=routes::base().trim_end_matches('/')><Layout /></Router> }.into_any()
        }
        Stage::Outside => outside(),
    }
}

fn outside() -> AnyView {
    view! { <AccessScreen /> }.into_any()
}
