//! What is open, who works on it, and how full its memory is.

mod context_ring;
mod model_picker;
mod setting_select;

use leptos::prelude::*;
use pilothouse_core::protocol::AgentMode;
use pilothouse_core::protocol::SessionMetaStoreFields;

use self::context_ring::ContextRing;
use self::model_picker::ModelPicker;
use self::setting_select::SettingSelect;
use super::sidebar::session_menu::SessionMenu;
use super::sidebar::session_title::{title_or_new, title_words};
use crate::actions::{Actions, use_actions};
use crate::app::connection_banner::ConnectionMark;
use crate::store::server::sessions::waiting;
use crate::store::server::{Loading, Session};
use crate::widgets::focus;
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::rename_field::RenameField;

#[component]
pub fn TitleBar(session: Session) -> impl IntoView {
    let actions = use_actions();
    let title = move || {
        let title = session.meta.title().get();
        match session.loading.get() {
            // The list knows it already.
            Loading::Waiting => actions
                .server
                .summary(&session.id())
                .map_or("Loading…".to_owned(), |known| title_words(&known)),
            Loading::Missing(_) => "No session".to_owned(),
            Loading::Ready => title_or_new(&title),
        }
    };
    let renaming = Memo::new(move |_| {
        actions.client.renaming.with(|renaming| {
            renaming
                .as_ref()
                .is_some_and(|renaming| !renaming.in_sidebar && renaming.session_id == session.id())
        })
    });
    let levels = Memo::new(move |_| {
        let named = |level: &String| (level.clone(), level.clone(), String::new());
        session.meta.capabilities().with(|can| can.thinking_levels.iter().map(named).collect())
    });
    let modes = Memo::new(move |_| {
        let named = |mode: &AgentMode| (mode.id.clone(), mode.name.clone(), mode.description.clone());
        session.meta.capabilities().with(|can| can.modes.iter().map(named).collect())
    });
    let choose_level = Callback::new(move |level| actions.set_thinking_level(session, level));
    let choose_mode = Callback::new(move |mode| actions.set_mode(session, mode));
    let field =
        move || view! { <RenameField session_id=session.id() title=session.meta.title().get_untracked() /> };
    view! {
        <header class="title-bar">
            <SessionsButton />
            <div class="title-block">
                <Show when=move || !renaming.get() fallback=field>
                    <h1 class="title" title=title>{title}</h1>
                </Show>
                <p class="title-meta">
                    <span>{move || session.meta.agent().get()}</span>
                    <span class="title-folder" title=move || session.meta.cwd().get()>
                        <bdi>{move || session.meta.cwd().get()}</bdi>
                    </span>
                </p>
            </div>
            <div class="title-side">
                <ModelPicker session />
                <SettingSelect label="Thinking level" options=levels now=Signal::derive(move || session.meta.thinking_level().get()) choose=choose_level />
                <SettingSelect label="Mode" options=modes now=Signal::derive(move || session.meta.mode().get()) choose=choose_mode />
                <ContextRing session />
                <ConnectionMark />
            </div>
            <Show when=move || !matches!(session.loading.get(), Loading::Missing(_))>
                <SessionMenu id=session.id() />
            </Show>
        </header>
    }
}

/// Opens the sidebar where it is a drawer.
#[component]
pub fn SessionsButton() -> impl IntoView {
    let actions = use_actions();
    let open = actions.client.sidebar_open;
    // What is in the drawer is not seen, and that somebody waits has to be.
    let waits = Memo::new(move |_| actions.server.sessions.with(|sessions| waiting(sessions).len()));
    let label = move || match waits.get() {
        0 => "Sessions".to_owned(),
        count => format!("Sessions, {count} waiting on me"),
    };
    view! {
        <button
            type="button"
            class="button icon-only quiet sessions-button"
            aria-label=label
            data-waiting=move || Some(waits.get()).filter(|count| *count > 0).map(|count| count.to_string())
            aria-expanded=move || open.get().to_string()
            on:click=move |_| show(actions)
        >
            <Glyph icon=Icon::Menu />
        </button>
    }
}

/// The drawer takes the keyboard by itself.
fn show(actions: Actions) {
    actions.client.show_sidebar();
    if !actions.client.sidebar_open.get_untracked() {
        request_animation_frame(|| {
            focus::focus(".sidebar-hide");
        });
    }
}
