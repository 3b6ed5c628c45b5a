//! Messages scheduled while the agent works, between timeline and composer.

use leptos::prelude::*;
use pilothouse_core::queue::{Lane, Queue as Scheduled};

use super::icon::{Glyph, Icon};
use crate::actions::use_actions;
use crate::state::server::Session;

#[component]
pub fn Queue(session: Session) -> impl IntoView {
    let actions = use_actions();
    view! {
        <Show when=move || !session.queue.with(Scheduled::is_empty)>
            <section class="queue" aria-label="Scheduled messages">
                <ul class="queue-list">
                    <For
                        each=move || session.queue.with(|queue| queue.items().to_vec())
                        key=|item| (item.id.clone(), item.revision)
                        children=|item| {
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
                        }
                    />
                </ul>
                <button type="button" class="button quiet" on:click=move |_| actions.restore_queue(session)>
                    <Glyph icon=Icon::CornerUp />
                    "Restore to editor"
                </button>
            </section>
        </Show>
    }
}
