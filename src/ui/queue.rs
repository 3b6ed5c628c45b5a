//! Messages scheduled while the agent works, between timeline and composer.

use leptos::prelude::*;
use pilothouse_core::queue::{Lane, Queue as Waiting, Scheduled};

use super::dynamic::{When, clicked, list};
use super::icon::{Glyph, Icon};
use crate::actions::use_actions;
use crate::state::server::Session;

#[component]
pub fn Queue(session: Session) -> impl IntoView {
    let actions = use_actions();
    let items = move || session.queue.with(|queue| queue.items().to_vec());
    let row = |item: Scheduled| {
        let (words, when) = match item.lane {
            Lane::Steer => ("Steer", "Taken up before the next step"),
            Lane::FollowUp => ("Follow-up", "Taken up when the run is over"),
        };
        view! {
            <li class="queue-row" data-scheduled=item.lane.name()>
                <span class="queue-lane" title=when>{words}</span>
                <span class="row-text queue-text">{item.text}</span>
            </li>
        }
        .into_any()
    };
    view! {
        <When when=move || !session.queue.with(Waiting::is_empty)>
            <section class="queue" aria-label="Scheduled messages">
                <ul class="queue-list">
                    {list(items, |item| format!("{} {}", item.revision, item.id), row)}
                </ul>
                <button type="button" class="button quiet" on:click=clicked(move |_| actions.restore_queue(session))>
                    <Glyph icon=Icon::CornerUp />
                    "Restore to editor"
                </button>
            </section>
        </When>
    }
}
