//! The "Waiting for you" tray: the open asks and failures of all sessions, answered without opening the session.

use leptos::prelude::*;
use pilothouse_core::conversation::ask::Ask;
use pilothouse_core::protocol::{SessionCommand, SessionSummary};
use pilothouse_core::render::failure::failure_text;
use web_sys::Element;

use super::ask_card;
use crate::actions::{Actions, use_actions};
use crate::dom::build::{button, glyph, hand_built, with_children};
use crate::dom::element::{set, toggle_child, with_class};
use crate::dom::keyed_list::{render_effect, render_keyed};
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
                {hand_built("waiting-sessions", move |place| {
                    render_keyed(place.clone(), move || ids.get(), move |id| waiting_session(actions, id));
                })}
            </Popover>
        </Show>
    }
}

/// One waiting session: its asks, or why its run failed.
fn waiting_session(actions: Actions, id: &str) -> Element {
    let id = StoredValue::new(id.to_owned());
    let summary = memo(move || id.with_value(|id| actions.server.summary(id)).unwrap_or_default());
    let (title, folder) = (with_class("h2", "waiting-title"), with_class("span", "waiting-folder"));
    let open = button("button quiet", None, "Open", move || {
        close_popover();
        actions.navigate_to(Route::Session(id.get_value()));
    });
    let head = with_children("div", "waiting-head", &[&title, &folder, &open]);
    let cards = with_class("div", "");
    let asks = move || summary.with(|summary| summary.asks.clone());
    render_keyed(cards.clone(), asks, move |ask: &Ask| ask_card(actions, id.get_value(), ask.clone(), true));
    let reason = with_class("span", "waiting-reason");
    let retry = button("button", Some(Icon::Retry), "Retry", move || {
        id.with_value(|id| actions.send_command(id, SessionCommand::Retry));
    });
    let failure = with_children("div", "waiting-failure", &[&glyph(Icon::Alert), &reason, &retry]);
    let section = with_children("section", "waiting-session", &[&head, &cards]);
    set(&section, "data-session-id", &id.get_value());
    let shown = section.clone();
    render_effect(Box::new(move || {
        summary.with(|summary| {
            title.set_text_content(Some(&session_title(summary)));
            folder.set_text_content(Some(folder_name(&summary.cwd)));
            let words = failure_text(&summary.reason);
            reason.set_text_content(Some(if summary.reason.is_empty() { "Run failed" } else { &words }));
            toggle_child(&shown, &failure, summary.asks.is_empty());
        });
    }));
    section
}
