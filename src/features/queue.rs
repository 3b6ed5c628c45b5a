//! The queue of scheduled messages, between timeline and composer, with editing and removing where the agent supports
//! it.

use leptos::prelude::*;
use pilothouse_core::conversation::queue::{Lane, Queue as ScheduledQueue, Scheduled};
use pilothouse_core::protocol::SessionMetaStoreFields;

use super::rows::images::source;
use crate::actions::{Actions, use_actions};
use crate::net::ConnectionState;
use crate::reactive::{effect, memo};
use crate::store::client::Sent;
use crate::store::server::Session;
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::message_editor::MessageEditor;

/// The scheduled messages of a session, and those that wait for the connection.
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
    // Only while disconnected: otherwise the server schedules them in a moment.
    let unsent = memo(move || match actions.client.connection.get() {
        ConnectionState::Open => Vec::new(),
        _ => actions.client.outbox.outside_timeline(&session.id()),
    });
    let heading = move || match count() {
        0 => "Waiting for connection".to_owned(),
        count => format!("{count} queued"),
    };
    effect(move || session.meta.queue().with(|queue| actions.rescue_queue_edits(session, queue)));
    view! {
        <Show when=move || !session.meta.queue().with(ScheduledQueue::is_empty) || !unsent.with(Vec::is_empty)>
            <section class="queue" aria-label="Queued messages">
                <div class="queue-head">
                    <span>{heading}</span>
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

/// One scheduled message.
#[component]
fn QueueRow(session: Session, id: String) -> impl IntoView {
    let actions = use_actions();
    let id = StoredValue::new(id);
    let item = memo(move || {
        let find = |id: &String| {
            session.meta.queue().with(|queue| queue.items().iter().find(|item| item.id == *id).cloned())
        };
        id.with_value(find).unwrap_or_default()
    });
    let can_edit = memo(move || session.meta.capabilities().with(|can| can.edit_queue));
    let editing = memo(move || id.with_value(|id| actions.client.queue_edits.is_open(&session.id(), id)));
    // Open in another client's editor, or in one of this page that a reload has closed.
    let edited_elsewhere = memo(move || item.with(|item| item.under_edit) && !editing.get());
    let lane = item.with_untracked(|item| item.lane);
    let (lane_name, delivery) = lane_text(lane);
    let images = move || {
        let item = item.get();
        let sources = item.images.iter().filter_map(|image| source(&session.id(), image)).collect::<Vec<_>>();
        let thumbnail = |source: String| view! { <img class="queue-picture" src=source alt="Image" /> };
        sources.into_iter().map(thumbnail).collect_view().into_any()
    };
    let with_item = move |action: fn(&Actions, Session, &Scheduled)| {
        move |_| item.with_untracked(|item| action(&actions, session, item))
    };
    view! {
        <li class="queue-row" data-scheduled=lane.name() data-under-edit=move || item.with(|item| item.under_edit).then_some("")>
            <span class="queue-lane" title=delivery>{lane_name}</span>
            <Show when=move || !editing.get() fallback=move || view! { <QueueEditor session id /> }>
                <span class="row-text queue-text" title=move || item.with(|item| item.text.clone())>{move || item.with(|item| item.text.clone())}</span>
                {images}
                <Show when=move || edited_elsewhere.get()>
                    <span class="queue-held" title="Won't be sent until editing is finished">"Being edited"</span>
                </Show>
                <Show when=move || can_edit.get()>
                    <button
                        type="button"
                        class="button icon-only quiet"
                        aria-label="Edit"
                        title=move || if edited_elsewhere.get() { "Edit here instead" } else { "Edit" }
                        on:click=with_item(Actions::begin_queue_edit)
                    >
                        <Glyph icon=Icon::Edit />
                    </button>
                    <button
                        type="button"
                        class="button icon-only quiet"
                        aria-label="Remove"
                        title="Remove"
                        on:click=with_item(Actions::remove_queued)
                    >
                        <Glyph icon=Icon::Close />
                    </button>
                </Show>
            </Show>
        </li>
    }
}

/// The editor in place of a scheduled message's text.
#[component]
fn QueueEditor(session: Session, id: StoredValue<String>) -> impl IntoView {
    let actions = use_actions();
    let edits = actions.client.queue_edits;
    let text = id.with_value(|id| edits.of(&session.id(), id)).map(|edit| edit.text).unwrap_or_default();
    view! {
        <MessageEditor
            label="Queued message"
            name="scheduled"
            text
            yes="Save"
            write=Box::new(move |value| id.with_value(|id| edits.write(&session.id(), id, value)))
            save=Callback::new(move |()| id.with_value(|id| actions.save_queue_edit(session, id)))
            cancel=Callback::new(move |()| id.with_value(|id| actions.cancel_queue_edit(session, id)))
        />
    }
}

/// A message that is sent once the connection is back.
fn unsent_row(sent: Option<Sent>) -> AnyView {
    let Some(Sent { text, lane, .. }) = sent else { return ().into_any() };
    let text = if text.is_empty() { "Image".to_owned() } else { text };
    view! {
        <li class="queue-row" data-unsent="">
            <span class="queue-lane">{lane.map_or("Shell", |lane| lane_text(lane).0)}</span>
            <span class="row-text queue-text" title=text.clone()>{text.clone()}</span>
            <span class="queue-held" title="Will be sent when the connection is back">"Not sent yet"</span>
        </li>
    }
    .into_any()
}

/// The name of a lane, and when the agent receives its messages.
fn lane_text(lane: Lane) -> (&'static str, &'static str) {
    match lane {
        Lane::Steer => ("Steer", "Delivered before the agent's next step"),
        Lane::FollowUp => ("Follow-up", "Delivered when the run ends"),
    }
}
