//! The queue of scheduled messages, between timeline and composer, with editing and removing where the agent supports
//! it.

use leptos::prelude::*;
use pilothouse_core::conversation::queue::{Lane, Scheduled};
use pilothouse_core::protocol::SessionMetaStoreFields;
use web_sys::Element;

use super::rows::images::image_element;
use crate::actions::{Actions, use_actions};
use crate::dom::build::{button, hand_built, icon_button, with_attributes, with_children};
use crate::dom::element::{append, clear, set, toggle_attribute, toggle_child, with_class, with_text};
use crate::dom::keyed_list::{render_effect, render_keyed};
use crate::net::ConnectionState;
use crate::reactive::{effect, memo};
use crate::store::client::Sent;
use crate::store::server::Session;
use crate::widgets::icon::Icon;
use crate::widgets::message_editor::MessageEditor;

/// The scheduled messages of a session, and those that wait for the connection.
pub fn queue(session: Session) -> AnyView {
    let actions = use_actions();
    effect(move || session.meta.queue().with(|queue| actions.rescue_queue_edits(session, queue)));
    hand_built("contents", move |place| build(place, actions, session))
}

fn build(place: &Element, actions: Actions, session: Session) {
    let ids = memo(move || {
        session
            .meta
            .queue()
            .with(|queue| queue.items().iter().map(|item| item.id.clone()).collect::<Vec<_>>())
    });
    // Only while disconnected: otherwise the server schedules them in a moment.
    let unsent = memo(move || match actions.client.connection.get() {
        ConnectionState::Open => Vec::new(),
        _ => actions.client.outbox.outside_timeline(&session.id()),
    });
    let list = with_class("ul", "queue-list");
    // The ids of scheduled messages, then those of unsent ones.
    let rows = move || {
        let row = |is_unsent: bool| move |id: String| (is_unsent, id);
        ids.get().into_iter().map(row(false)).chain(unsent.get().into_iter().map(row(true))).collect()
    };
    render_keyed(list.clone(), rows, move |(is_unsent, id): &(bool, String)| match is_unsent {
        true => unsent_row(actions.client.outbox.find(id)),
        false => scheduled_row(actions, session, id),
    });
    let heading = with_class("span", "");
    let restore = move || actions.restore_queue(session);
    let restore = button("button quiet", Some(Icon::CornerUp), "Restore to editor", restore);
    let head = with_children("div", "queue-head", &[&heading, &restore]);
    let section = with_children("section", "queue", &[&head, &list]);
    set(&section, "aria-label", "Queued messages");
    let place = place.clone();
    render_effect(Box::new(move || {
        let count = ids.with(Vec::len);
        heading.set_text_content(Some(&match count {
            0 => "Waiting for connection".to_owned(),
            count => format!("{count} queued"),
        }));
        let can_restore = count > 0 && session.meta.capabilities().with(|can| can.edit_queue);
        toggle_attribute(&restore, "hidden", (!can_restore).then_some(""));
        toggle_child(&place, &section, count > 0 || !unsent.with(Vec::is_empty));
    }));
}

/// One scheduled message.
fn scheduled_row(actions: Actions, session: Session, id: &str) -> Element {
    let id = StoredValue::new(id.to_owned());
    let item = memo(move || {
        let find = |id: &String| {
            session.meta.queue().with(|queue| queue.items().iter().find(|item| item.id == *id).cloned())
        };
        id.with_value(find).unwrap_or_default()
    });
    let editing = memo(move || id.with_value(|id| actions.client.queue_edits.is_open(&session.id(), id)));
    let lane = item.with_untracked(|item| item.lane);
    let steers = session.meta.capabilities().with_untracked(|can| can.agent_queue || can.mid_turn);
    let (lane_name, delivery) = if steers { lane_text(lane) } else { ("Queued", "Sent when the run ends") };
    let row = with_attributes("li", &[("class", "queue-row"), ("data-scheduled", lane.name())]);
    let built = row.clone();
    render_effect(Box::new(move || {
        clear(&row);
        let lane = with_text("span", "queue-lane", lane_name);
        set(&lane, "title", delivery);
        append(&row, &lane);
        // While the editor is open, changes of the item must not replace it.
        if editing.get() {
            set(&row, "data-under-edit", "");
            append(&row, &editor(actions, session, id));
        } else {
            item.with(|item| show_item(&row, actions, session, item));
        }
    }));
    built
}

fn show_item(row: &Element, actions: Actions, session: Session, item: &Scheduled) {
    toggle_attribute(row, "data-under-edit", item.under_edit.then_some(""));
    append(row, &titled("row-text queue-text", &item.text, &item.text));
    for image in item.images.iter().filter_map(|image| image_element(&session.id(), image)) {
        set(&image, "class", "queue-picture");
        set(&image, "alt", "Image");
        append(row, &image);
    }
    // Open in another client's editor, or in one of this page that a reload has closed.
    if item.under_edit {
        append(row, &titled("queue-held", "Being edited", "Won't be sent until editing is finished"));
    }
    if session.meta.capabilities().with(|can| can.edit_queue) {
        for (icon, label, action) in [
            (Icon::Edit, "Edit", Actions::begin_queue_edit as fn(&Actions, Session, &Scheduled)),
            (Icon::Close, "Remove", Actions::remove_queued),
        ] {
            let (item, under_edit) = (item.clone(), item.under_edit);
            let act = move || action(&actions, session, &item);
            let button = icon_button("button icon-only quiet", icon, label, act);
            if under_edit && label == "Edit" {
                set(&button, "title", "Edit here instead");
            }
            append(row, &button);
        }
    }
}

/// A text with a tooltip.
fn titled(class: &str, text: &str, title: &str) -> Element {
    let element = with_text("span", class, text);
    set(&element, "title", title);
    element
}

/// The editor in place of a scheduled message's text.
fn editor(actions: Actions, session: Session, id: StoredValue<String>) -> Element {
    let edits = actions.client.queue_edits;
    let text = id.with_value(|id| untrack(|| edits.of(&session.id(), id))).map(|edit| edit.text);
    let editor = MessageEditor {
        label: "Queued message",
        name: "scheduled",
        text: text.unwrap_or_default(),
        yes: "Save",
        write: Box::new(move |value| id.with_value(|id| edits.write(&session.id(), id, value))),
        save: Callback::new(move |()| id.with_value(|id| actions.save_queue_edit(session, id))),
        cancel: Callback::new(move |()| id.with_value(|id| actions.cancel_queue_edit(session, id))),
    };
    editor.build()
}

/// A message that is sent once the connection is back.
fn unsent_row(sent: Option<Sent>) -> Element {
    let row = with_class("li", "queue-row");
    set(&row, "data-unsent", "");
    let Some(Sent { text, lane, .. }) = sent else { return row };
    let text = if text.is_empty() { "Image" } else { &text };
    append(&row, &with_text("span", "queue-lane", lane.map_or("Shell", |lane| lane_text(lane).0)));
    append(&row, &titled("row-text queue-text", text, text));
    append(&row, &titled("queue-held", "Not sent yet", "Will be sent when the connection is back"));
    row
}

/// The name of a lane, and when the agent receives its messages.
fn lane_text(lane: Lane) -> (&'static str, &'static str) {
    match lane {
        Lane::Steer => ("Steer", "Delivered before the agent's next step"),
        Lane::FollowUp => ("Follow-up", "Delivered when the run ends"),
    }
}
