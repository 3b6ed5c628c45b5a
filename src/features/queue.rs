//! Messages scheduled while the agent works, between timeline and composer.

mod row;

use leptos::prelude::*;
use pilothouse_core::conversation::queue::Queue as Waiting;
use pilothouse_core::protocol::SessionMetaStoreFields;

use self::row::{QueueRow, lane_words};
use crate::actions::use_actions;
use crate::net::ConnectionState;
use crate::store::client::Sent;
use crate::store::server::Session;
use crate::widgets::icon::{Glyph, Icon};

#[component]
pub fn Queue(session: Session) -> impl IntoView {
    let actions = use_actions();
    let ids = move || {
        session
            .meta
            .queue()
            .with(|queue| queue.items().iter().map(|item| item.id.clone()).collect::<Vec<_>>())
    };
    let count = move || session.meta.queue().with(|queue| queue.items().len());
    // Only as long as it cannot be sent: else its answer is a moment away.
    let unsent = Memo::new(move |_| match actions.client.connection.get() {
        ConnectionState::Open => Vec::new(),
        _ => actions.client.outbox.beside_timeline(&session.id()),
    });
    let words = move || match count() {
        0 => "Waiting for the connection".to_owned(),
        count => format!("{count} scheduled"),
    };
    Effect::new(move |_| session.meta.queue().with(|queue| actions.rescue_edits(session, queue)));
    view! {
        <Show when=move || !session.meta.queue().with(Waiting::is_empty) || !unsent.with(Vec::is_empty)>
            <section class="queue" aria-label="Scheduled messages">
                <div class="queue-head">
                    <span>{words}</span>
                    <Show when=move || { count() > 0 && session.meta.capabilities().with(|can| can.edit_queue) }>
                        <button type="button" class="button quiet" on:click=move |_| actions.restore_queue(session)>
                            <Glyph icon=Icon::CornerUp />
                            "Restore to editor"
                        </button>
                    </Show>
                </div>
                <ul class="queue-list">
                    <For each=ids key=String::clone children=move |id| view! { <QueueRow session id /> }.into_any() />
                    <For each=move || unsent.get() key=String::clone children=move |id| unsent_row(actions.client.outbox.find(&id)) />
                </ul>
            </section>
        </Show>
    }
}

/// It goes out when the connection is back.
fn unsent_row(sent: Option<Sent>) -> AnyView {
    let Some(Sent { text, lane, .. }) = sent else { return ().into_any() };
    let text = if text.is_empty() { "Image".to_owned() } else { text };
    view! {
        <li class="queue-row" data-unsent="">
            <span class="queue-lane">{lane.map_or("Shell", |lane| lane_words(lane).0)}</span>
            <span class="row-text queue-text" title=text.clone()>{text.clone()}</span>
            <span class="queue-held" title="It is sent as soon as the server can be reached.">"not sent yet"</span>
        </li>
    }
    .into_any()
}
