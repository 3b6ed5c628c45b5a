//! What the person said.

use leptos::prelude::*;
use pilothouse_core::Mark;
use pilothouse_core::protocol::SessionMetaStoreFields;
use web_sys::Element;

use super::click;
use super::click::Act;
use super::edit::MessageEdit;
use super::entry::Entry;
use super::images::Images;
use super::streamed_text::StreamedText;
use crate::dom::element::{Changed, add, set, set_class, with_class, with_text};
use crate::widgets::icon::Icon;

pub fn build(entry: Entry) -> Element {
    let row = entry.article("row user");
    // Screen readers go from turn to turn by it.
    add(&row, &with_text("h2", "visually-hidden", "You said"));
    let mut text = StreamedText::in_place(&row, "row-text");
    let mut images = Images::in_row(&row);
    let going_back = going_back();
    let acts = click::of_message(&going_back);
    add(&row, &acts);
    let article = row.clone();
    let (mut mark, mut forks) = (Changed::default(), Changed::default());
    let mut refused = None::<Element>;
    let mut rewriting = MessageEdit::beside(&text.element);
    entry.follow(move |entry, message| {
        text.show(&message.text);
        images.show(&entry.session.id(), &message.images);
        if mark.differs(message.mark) {
            set_class(&row, "sending", message.mark == Some(Mark::Sending));
            if let Some(note) = refused.take() {
                note.remove();
            }
            if message.mark == Some(Mark::Refused) {
                let note = not_sent();
                add(&row, &note);
                refused = Some(note);
            }
        }
        // A row that is not yet part of the conversation is no place to fork from.
        let can_fork = message.mark.is_none() && entry.session.meta.capabilities().with(|can| can.fork);
        if forks.differs(can_fork) {
            for button in &going_back {
                if can_fork { add(&acts, button) } else { button.remove() }
            }
        }
        rewriting.show(entry);
    });
    article
}

fn going_back() -> [Element; 2] {
    [
        click::small(
            Act::Edit,
            Icon::Edit,
            "Edit and resend",
            "Edit and resend: goes on from here in a new session",
        ),
        click::small(
            Act::Fork,
            Icon::Fork,
            "Fork from here",
            "Fork from here: a new session up to this message",
        ),
    ]
}

fn not_sent() -> Element {
    let note = with_class("p", "row-mark failed icon-before");
    set(&note, "data-icon", Icon::Alert.name());
    add(&note, &with_text("span", "", "Not sent"));
    add(&note, &click::button(Act::TakeBack, "button quiet icon-before", Icon::CornerUp, "Take back"));
    note
}
