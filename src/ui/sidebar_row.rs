//! One session in the sidebar.

use leptos::prelude::*;
use pilothouse_core::wire::SessionSummary;

use super::dynamic::{When, clicked, live, memo};
use super::icon::{Glyph, Icon};
use super::relative_time::relative_time;
use super::rename_field::RenameField;
use super::session_menu::SessionMenu;
use super::session_words::title_words;
use super::sidebar::opens_elsewhere;
use super::state_mark::StateMark;
use crate::actions::use_actions;
use crate::route::{self, Route};

#[component]
pub fn SidebarRow(id: String) -> impl IntoView {
    let actions = use_actions();
    let id = StoredValue::new(id);
    let summary = memo(move || id.with_value(|id| actions.server.summary(id)).unwrap_or_default());
    let read = move |read: fn(&SessionSummary) -> bool| Signal::derive(move || summary.with(read));
    let state = Signal::derive(move || summary.with(|summary| summary.state));
    let title = move || summary.with(title_words);
    let time = move || relative_time(summary.with(|summary| summary.modified), actions.client.now.get());
    let current = memo(move || {
        actions.route.with(|route| matches!(route, Route::Session(open) if id.with_value(|id| id == open)))
    });
    let renaming = memo(move || {
        actions.client.renaming.with(|renaming| {
            renaming
                .as_ref()
                .is_some_and(|renaming| renaming.in_sidebar && id.with_value(|id| *id == renaming.session_id))
        })
    });
    let field =
        move || view! { <RenameField session_id=id.get_value() title=summary.with_untracked(title_words) /> };
    view! {
        <When when=move || !renaming.get() fallback=field>
            <a
                class="sidebar-row"
                href=id.with_value(|id| route::path_of(&Route::Session(id.clone())))
                data-session-id=id.get_value()
                data-state=live(move || state.get().name())
                data-unread=live(move || summary.with(|summary| summary.unread.then_some("")))
                aria-current=live(move || current.get().then_some("page"))
                title=live(move || format!("{} · {}", title(), summary.with(|summary| summary.agent.clone())))
                on:click=clicked(move |event| {
                    if !opens_elsewhere(&event) {
                        event.prevent_default();
                        actions.go(Route::Session(id.get_value()));
                    }
                })
            >
                <StateMark state />
                <span class="sidebar-title">{live(title)}</span>
                <When when=read(|summary| summary.elsewhere)>
                    <span class="sidebar-mark" title="Another program is working here">
                        <Glyph icon=Icon::Globe />
                        <span class="visually-hidden">"in use by another program"</span>
                    </span>
                </When>
                <When when=read(|summary| summary.unread)>
                    <span class="unread-dot" title="Not seen yet"><span class="visually-hidden">"not seen yet"</span></span>
                </When>
                <span class="sidebar-time">{live(time)}</span>
            </a>
            <SessionMenu id=id.get_value() in_sidebar=true />
        </When>
    }
}
