//! The title bar of a session: title, agent and folder, model and settings, context usage, connection and menu.

mod auto_approve;
mod context_ring;
mod model_picker;
mod settings;

use leptos::prelude::*;
use pilothouse_core::protocol::SessionMetaStoreFields;

use self::auto_approve::auto_approve_control;
use self::context_ring::ContextRing;
use self::model_picker::ModelPicker;
use self::settings::{options_popover, title_settings};
use super::sidebar::session_label::{session_title, title_or_placeholder};
use super::sidebar::session_menu::SessionMenu;
use crate::actions::{Actions, use_actions};
use crate::app::connection_banner::connection_indicator;
use crate::dom::build::hand_built;
use crate::dom::element::append;
use crate::reactive::memo;
use crate::store::server::sessions::waiting;
use crate::store::server::{Loading, Session};
use crate::widgets::focus;
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::rename_field::{NEXT_FOCUS, rename_field};

/// The title bar of the open session.
#[component]
pub fn TitleBar(session: Session) -> impl IntoView {
    let actions = use_actions();
    let title = move || {
        let title = session.meta.title().get();
        match session.loading.get() {
            // The session list already has the title.
            Loading::Waiting => actions
                .server
                .summary(&session.id())
                .map_or("Loading…".to_owned(), |summary| session_title(&summary)),
            Loading::Missing(_) => "Session unavailable".to_owned(),
            Loading::Ready => title_or_placeholder(&title),
        }
    };
    let renaming = memo(move || {
        actions.client.renaming.with(|renaming| {
            renaming
                .as_ref()
                .is_some_and(|renaming| !renaming.in_sidebar && renaming.session_id == session.id())
        })
    });
    let title_field = move || {
        on_cleanup(|| focus::focus_if_lost(NEXT_FOCUS));
        hand_built("contents", move |place| {
            append(place, &rename_field(actions, session.id(), session.meta.title().get_untracked()));
        })
    };
    view! {
        <header class="title-bar">
            <SessionsButton />
            <div class="title-block">
                <Show when=move || !renaming.get() fallback=title_field>
                    <h1 class="title" title=title>{title}</h1>
                </Show>
                <p class="title-meta">
                    <span>{move || actions.server.agent_title(&session.meta.agent().get())}</span>
                    <span class="title-folder" title=move || session.meta.cwd().get()>
                        <bdi>{move || session.meta.cwd().get()}</bdi>
                    </span>
                </p>
            </div>
            <div class="title-side">
                <ModelPicker session />
                {title_settings(session)}
                {options_popover(session)}
                {auto_approve_control(session)}
                <ContextRing session />
                {connection_indicator()}
            </div>
            <Show when=move || !matches!(session.loading.get(), Loading::Missing(_))>
                <SessionMenu id=session.id() />
            </Show>
        </header>
    }
}

/// The button that opens the sidebar, shown while the sidebar is hidden or a drawer.
#[component]
pub fn SessionsButton() -> impl IntoView {
    let actions = use_actions();
    let open = actions.client.sidebar_open;
    // The tray is inside the drawer: without a count here, waiting sessions would go unnoticed.
    let waiting_count = memo(move || actions.server.sessions().with(|sessions| waiting(sessions).len()));
    let label = move || match waiting_count.get() {
        0 => "Sessions".to_owned(),
        count => format!("Sessions, {count} waiting for you"),
    };
    view! {
        <button
            type="button"
            class="button icon-only quiet sessions-button"
            aria-label=label
            data-waiting=move || Some(waiting_count.get()).filter(|count| *count > 0).map(|count| count.to_string())
            aria-expanded=move || open.get().to_string()
            on:click=move |_| open_sidebar(actions)
        >
            <Glyph icon=Icon::Menu />
        </button>
    }
}

fn open_sidebar(actions: Actions) {
    actions.client.show_sidebar();
    // As a drawer, the sidebar takes the focus itself (see `layout`).
    if !actions.client.sidebar_open.get_untracked() {
        request_animation_frame(|| {
            focus::focus(".sidebar-hide");
        });
    }
}
