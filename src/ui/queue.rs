//! Messages scheduled while the agent works, between timeline and composer.

use leptos::prelude::*;
use pilothouse_core::queue::Queue as Waiting;

use super::dynamic::{When, clicked, effect, list, live};
use super::icon::{Glyph, Icon};
use super::queue_row::QueueRow;
use crate::actions::use_actions;
use crate::state::server::Session;

#[component]
pub fn Queue(session: Session) -> impl IntoView {
    let actions = use_actions();
    let ids = move || session.queue.with(|queue| queue.items().iter().map(|item| item.id.clone()).collect());
    let words = move || format!("{} scheduled", session.queue.with(|queue| queue.items().len()));
    effect(move || session.queue.with(|queue| actions.rescue_edits(session, queue)));
    view! {
        <When when=move || !session.queue.with(Waiting::is_empty)>
            <section class="queue" aria-label="Scheduled messages">
                <div class="queue-head">
                    <span>{live(words)}</span>
                    <When when=move || session.capabilities.with(|can| can.edit_queue)>
                        <button type="button" class="button quiet" on:click=clicked(move |_| actions.restore_queue(session))>
                            <Glyph icon=Icon::CornerUp />
                            "Restore to editor"
                        </button>
                    </When>
                </div>
                <ul class="queue-list">
                    {list(ids, String::clone, move |id| view! { <QueueRow session id /> }.into_any())}
                </ul>
            </section>
        </When>
    }
}
