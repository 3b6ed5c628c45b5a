//! One scheduled message: what it says, and changing or removing it where the agent lets one.

use leptos::prelude::*;
use pilothouse_core::conversation::queue::{Lane, Scheduled};
use pilothouse_core::protocol::SessionMetaStoreFields;

use crate::actions::use_actions;
use crate::features::rows::images::source;
use crate::store::server::Session;
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::message_editor::MessageEditor;

#[component]
pub fn QueueRow(session: Session, id: String) -> impl IntoView {
    let actions = use_actions();
    let id = StoredValue::new(id);
    let item = Memo::new(move |_| {
        let find = |id: &String| {
            session.meta.queue().with(|queue| queue.items().iter().find(|item| item.id == *id).cloned())
        };
        id.with_value(find).unwrap_or_default()
    });
    let can_edit = Memo::new(move |_| session.meta.capabilities().with(|can| can.edit_queue));
    let editing =
        Memo::new(move |_| id.with_value(|id| actions.client.queue_edits.is_open(&session.id(), id)));
    // In somebody else's editor, or in one of this page that a reload has closed.
    let held = Memo::new(move |_| item.with(|item| item.under_edit) && !editing.get());
    let lane = item.with_untracked(|item| item.lane);
    let (lane_words, when) = lane_words(lane);
    let pictures = move || {
        let item = item.get();
        let sources = item.images.iter().filter_map(|image| source(&session.id(), image)).collect::<Vec<_>>();
        let picture = |source: String| view! { <img class="queue-picture" src=source alt="Image" /> };
        sources.into_iter().map(picture).collect_view().into_any()
    };
    let with_item = move |act: fn(&crate::actions::Actions, Session, &Scheduled)| {
        move |_| item.with_untracked(|item| act(&actions, session, item))
    };
    view! {
        <li class="queue-row" data-scheduled=lane.name() data-under-edit=move || item.with(|item| item.under_edit).then_some("")>
            <span class="queue-lane" title=when>{lane_words}</span>
            <Show when=move || !editing.get() fallback=move || view! { <QueueEditor session id /> }>
                <span class="row-text queue-text" title=move || item.with(|item| item.text.clone())>{move || item.with(|item| item.text.clone())}</span>
                {pictures}
                <Show when=move || held.get()>
                    <span class="queue-held" title="It is not sent as long as somebody is changing it.">"being edited"</span>
                </Show>
                <Show when=move || can_edit.get()>
                    <button
                        type="button"
                        class="button icon-only quiet"
                        aria-label="Edit"
                        title=move || if held.get() { "Edit it here instead" } else { "Edit" }
                        on:click=with_item(crate::actions::Actions::edit_queued)
                    >
                        <Glyph icon=Icon::Edit />
                    </button>
                    <button
                        type="button"
                        class="button icon-only quiet"
                        aria-label="Remove"
                        title="Remove"
                        on:click=with_item(crate::actions::Actions::remove_queued)
                    >
                        <Glyph icon=Icon::Close />
                    </button>
                </Show>
            </Show>
        </li>
    }
}

/// What a lane is called, and when its messages are taken up.
pub fn lane_words(lane: Lane) -> (&'static str, &'static str) {
    match lane {
        Lane::Steer => ("Steer", "Taken up before the next step"),
        Lane::FollowUp => ("Follow-up", "Taken up when the run is over"),
    }
}

#[component]
fn QueueEditor(session: Session, id: StoredValue<String>) -> impl IntoView {
    let actions = use_actions();
    let edits = actions.client.queue_edits;
    let text = id.with_value(|id| edits.of(&session.id(), id)).map(|edit| edit.text).unwrap_or_default();
    view! {
        <MessageEditor
            label="Scheduled message"
            name="scheduled"
            text
            yes="Save"
            write=Box::new(move |value| id.with_value(|id| edits.write(&session.id(), id, value)))
            save=Callback::new(move |()| id.with_value(|id| actions.save_queued(session, id)))
            cancel=Callback::new(move |()| id.with_value(|id| actions.cancel_queued(session, id)))
        />
    }
}
