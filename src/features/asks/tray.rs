//! The "Waiting for you" tray: the open asks and failures of all sessions, answered without opening the session.

use leptos::prelude::*;
use pilothouse_core::conversation::ask::Ask;
use pilothouse_core::protocol::{SessionCommand, SessionSummary};
use pilothouse_core::render::failure::failure_text;

use super::AskCard;
use crate::actions::use_actions;
use crate::features::sidebar::session_label::session_title;
use crate::reactive::memo;
use crate::routes::Route;
use crate::store::server::sessions::{folder_name, waiting};
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::popover::{Popover, close_popover};

/// A button with the number of open asks and failures, and the popover that lists them.
#[component]
pub fn WaitingTray() -> impl IntoView {
    let actions = use_actions();
    let ids = memo(move || actions.server.sessions().with(|sessions| waiting(sessions)));
    let count = move || {
        // A session without asks waits because its run failed: it counts as one.
        let items = |summary: &SessionSummary| summary.asks.len().max(1);
        let sum = |ids: &Vec<String>| {
            let summaries = ids.iter().filter_map(|id| actions.server.summary(id));
            summaries.map(|summary| items(&summary)).sum::<usize>()
        };
        ids.with(sum).to_string()
    };
    let face = move || {
        view! {
            <Glyph icon=Icon::Question />
            <span class="waiting-words">"Waiting for you"</span>
            <span class="visually-hidden">": "</span>
            <span class="count">{count}</span>
        }
    };
    view! {
        <Show when=move || !ids.with(Vec::is_empty)>
            <Popover label="Waiting for you" class="waiting-button" face=face.into() panel_class="waiting" role="dialog" has_text=true>
                <For each=move || ids.get() key=String::clone children=|id| view! { <WaitingSession id /> }.into_any() />
            </Popover>
        </Show>
    }
}

/// One waiting session: its asks, or why its run failed.
#[component]
fn WaitingSession(id: String) -> impl IntoView {
    let actions = use_actions();
    let id = StoredValue::new(id);
    let summary = memo(move || id.with_value(|id| actions.server.summary(id)).unwrap_or_default());
    let card = move |ask: Ask| view! { <AskCard session_id=id.get_value() ask in_tray=true /> }.into_any();
    let open = move |_| {
        close_popover();
        actions.navigate_to(Route::Session(id.get_value()));
    };
    let retry = move |_| id.with_value(|id| actions.send_command(id, SessionCommand::Retry));
    let failure = move || {
        let reason = summary.with(|summary| summary.reason.clone());
        if reason.is_empty() { "Run failed".to_owned() } else { failure_text(&reason).into_owned() }
    };
    view! {
        <section class="waiting-session" data-session-id=id.get_value()>
            <div class="waiting-head">
                <h2 class="waiting-title">{move || summary.with(session_title)}</h2>
                <span class="waiting-folder">{move || summary.with(|summary| folder_name(&summary.cwd).to_owned())}</span>
                <button type="button" class="button quiet" on:click=open>"Open"</button>
            </div>
            <For each=move || summary.with(|summary| summary.asks.clone()) key=|ask| ask.id.clone() children=card />
            <Show when=move || summary.with(|summary| summary.asks.is_empty())>
                <div class="waiting-failure">
                    <Glyph icon=Icon::Alert />
                    <span class="waiting-reason">{failure}</span>
                    <button type="button" class="button" on:click=retry><Glyph icon=Icon::Retry />"Retry"</button>
                </div>
            </Show>
        </section>
    }
}
