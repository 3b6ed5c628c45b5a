//! The conversation: rows, asks, and the state of the run. It follows the end while the reader is there;
//! otherwise the visible rows stay in place.

mod anchor;
mod branch_line;
mod chunk;
mod controller;
mod empty;
mod login_card;
mod matches;
mod run_status;
mod scroll;
mod size;
mod window;

use std::rc::Rc;

use leptos::prelude::*;
use pilothouse_core::protocol::SessionMetaStoreFields;
use web_sys::Element;

use self::controller::{TimelineController, observe_size};
use self::empty::empty_conversation;
use self::login_card::login_card;
use self::run_status::RunStatus;
use super::asks::ask_cards;
use super::rows::row_action;
use crate::actions::timeline::TimelineView;
use crate::actions::use_actions;
use crate::dom::build::hand_built;
use crate::dom::element::append;
use crate::dom::keyed_list::render_keyed;
use crate::reactive::memo;
use crate::store::client::ReadingPosition;
use crate::store::server::Session;
use crate::widgets::icon::{Glyph, Icon};

#[component]
pub fn Timeline(session: Session) -> impl IntoView {
    let actions = use_actions();
    let reading = actions.client.reading_positions.reading(&session.key());
    let timeline = TimelineController::new(actions, session, &reading);
    provide_context(timeline.visibility);
    actions.timeline.register(Rc::new(timeline));
    timeline.visibility.before_change(move || timeline.before_change());
    timeline.follow_find();
    let restore = Some(reading).filter(|reading| *reading != ReadingPosition::Following);
    if restore.is_some() {
        timeline.cancel_restoring_on_action();
    }
    observe_size(timeline, restore);
    // Builds the whole selection before it is copied, because rows far from the view are not built.
    let copying =
        window_event_listener(leptos::ev::copy, move |_| timeline.visibility.force_selection_near());
    on_cleanup(move || {
        copying.remove();
        actions.update_reading_position(session);
    });
    let owner = Owner::current().unwrap_or_default();
    let chunks = move |place: Element, (): ()| {
        let build = move |number: &usize| chunk::build(actions, session, timeline.window, *number);
        owner.with(|| render_keyed(place, move || timeline.window.chunks(), build));
    };
    view! {
        <div class="timeline-place">
            <div
                class="timeline"
                node_ref=timeline.scroller
                on:scroll=move |_| timeline.on_scroll()
                on:click=move |event| row_action::on_click(actions, session, &event)
                role="log"
                aria-label="Conversation"
                aria-live="off"
                tabindex="0"
            >
                <div class="timeline-content" node_ref=timeline.content>
                    <EarlierRows timeline />
                    <Show when=move || timeline.total() == 0>
                        {empty_conversation(session)}
                        {hand_built("contents", move |place| append(place, &branch_line::build(actions, session, 0)))}
                    </Show>
                    // Without an argument the directive's element would be treated as static.
                    <div use:chunks=()></div>
                    {ask_cards(session)}
                    {login_card(session)}
                    <RunStatus session />
                </div>
            </div>
            <JumpToLatest timeline />
        </div>
    }
}

/// The button that fetches older rows. Scrolling near them fetches them too.
#[component]
fn EarlierRows(timeline: TimelineController) -> impl IntoView {
    let (earlier, fetching) = (timeline.session.earlier, timeline.fetching);
    let label = move || match fetching.get() {
        true => "Loading…".to_owned(),
        false => format!("Show earlier messages ({})", earlier.get()),
    };
    view! {
        <Show when=move || { earlier.get() > 0 }>
            <div class="earlier">
                <button type="button" class="button quiet" disabled=fetching on:click=move |_| timeline.fetch_earlier()>
                    <Glyph icon=Icon::History />
                    {label}
                </button>
            </div>
        </Show>
    }
}

/// The button that scrolls to the end, with the number of rows that were added in the meantime.
#[component]
fn JumpToLatest(timeline: TimelineController) -> impl IntoView {
    let is_reading = memo(move || !timeline.scroll.get().keeps_end());
    let asks = timeline.session.meta.asks();
    let label = move || match (asks.with(Vec::is_empty), timeline.unseen()) {
        (false, _) => "Waiting for your answer".to_owned(),
        (true, 0) => "Jump to latest".to_owned(),
        (true, count) => format!("Jump to latest ({count})"),
    };
    view! {
        <Show when=move || is_reading.get()>
            <button type="button" class="button jump" on:click=move |_| timeline.jump_to_end()>
                <Glyph icon=Icon::ArrowDown />
                {label}
            </button>
        </Show>
    }
}
