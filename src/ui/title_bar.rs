//! What is open, who works on it, and how full its memory is.

use leptos::prelude::*;

use super::connection::ConnectionMark;
use super::context_ring::ContextRing;
use super::dynamic::{clicked, entered, live, memo};
use super::icon::{Glyph, Icon};
use crate::actions::use_actions;
use crate::state::server::{Loading, Session};

#[component]
pub fn TitleBar(session: Session) -> impl IntoView {
    let title = move || {
        let title = session.title.get();
        let nameless = title.trim().is_empty() && session.loading.get() == Loading::Ready;
        if nameless { "New session".to_owned() } else { title }
    };
    let model = move || {
        session.model.with(|model| {
            model
                .as_ref()
                .map(|model| if model.name.is_empty() { model.id.clone() } else { model.name.clone() })
        })
    };
    view! {
        <header class="title-bar">
            <SessionsButton />
            <div class="title-block">
                <h1 class="title" title=live(title)>{live(title)}</h1>
                <p class="title-meta">
                    <span>{live(move || session.agent.get())}</span>
                    <span class="title-folder" title=live(move || session.cwd.get())>
                        <bdi>{live(move || session.cwd.get())}</bdi>
                    </span>
                </p>
            </div>
            <div class="title-side">
                {live(move || {
                    let word = |model| view! { <span class="title-model" title="Model">{model}</span> };
                    model().map(word).into_any()
                })}
                <ThinkingLevel session />
                <ContextRing session />
                <ConnectionMark />
            </div>
        </header>
    }
}

/// Opens the sidebar where it is a drawer.
#[component]
pub fn SessionsButton() -> impl IntoView {
    let open = use_actions().client.sidebar_open;
    view! {
        <button
            type="button"
            class="button icon-only quiet sessions-button"
            aria-label="Sessions"
            aria-expanded=live(move || open.get().to_string())
            on:click=clicked(move |_| open.set(true))
        >
            <Glyph icon=Icon::Menu />
        </button>
    }
}

/// How hard the model thinks, where the agent lets one choose.
#[component]
fn ThinkingLevel(session: Session) -> impl IntoView {
    let actions = use_actions();
    let levels = memo(move || session.capabilities.with(|can| can.thinking_levels.clone()));
    live(move || {
        let levels = levels.get();
        if levels.is_empty() {
            let level = move || session.thinking_level.get();
            let word = move || {
                (!level().is_empty())
                    .then(|| view! { <span class="title-thinking" title="Thinking level">{level()}</span> })
                    .into_any()
            };
            return live(word).into_any();
        }
        let options = levels.into_iter().map(|level| {
            let own = level.clone();
            let selected = move || session.thinking_level.with(|now| *now == own);
            view! { <option value=level.clone() selected=live(selected)>{level.clone()}</option> }
        });
        view! {
            <select
                class="title-thinking"
                aria-label="Thinking level"
                title="Thinking level"
                prop:value=live(move || session.thinking_level.get())
                on:change=entered(move |value| actions.set_thinking_level(session, value))
            >
                {options.collect_view()}
            </select>
        }
        .into_any()
    })
}
