//! One session in the sidebar.

use leptos::prelude::*;
use pilothouse_core::wire::SessionSummary;

use super::dynamic::{clicked, live, memo};
use super::relative_time::relative_time;
use super::sidebar::opens_elsewhere;
use super::state_mark::StateMark;
use crate::actions::use_actions;
use crate::route::{self, Route};

#[component]
pub fn SidebarRow(id: String) -> impl IntoView {
    let actions = use_actions();
    let own_id = id.clone();
    let summary = memo(move || {
        actions.server.sessions.with(|sessions| sessions.iter().find(|session| session.id == own_id).cloned())
    });
    let read = move |read: fn(&SessionSummary) -> String| {
        summary.with(|summary| summary.as_ref().map(read).unwrap_or_default())
    };
    let state = Signal::derive(move || {
        summary.with(|summary| summary.as_ref().map(|summary| summary.state).unwrap_or_default())
    });
    let title = move || {
        let title = read(|summary| summary.title.clone());
        if title.trim().is_empty() { "New session".to_owned() } else { title }
    };
    let time = move || {
        let modified = summary.with(|summary| summary.as_ref().map_or(0, |summary| summary.modified));
        relative_time(modified, actions.client.now.get())
    };
    let to = Route::Session(id.clone());
    let current = {
        let to = to.clone();
        memo(move || actions.route.with(|route| *route == to))
    };
    view! {
        <a
            class="sidebar-row"
            href=route::path_of(&to)
            data-session-id=id
            data-state=live(move || state.get().name())
            aria-current=live(move || current.get().then_some("page"))
            title=live(move || format!("{} · {}", title(), read(|summary| summary.agent.clone())))
            on:click=clicked(move |event| {
                if !opens_elsewhere(&event) {
                    event.prevent_default();
                    actions.go(to.clone());
                }
            })
        >
            <StateMark state />
            <span class="sidebar-title">{live(title)}</span>
            <span class="sidebar-time">{live(time)}</span>
        </a>
    }
}
