//! A message of the user.

use leptos::prelude::*;
use pilothouse_core::Mark;
use pilothouse_core::protocol::SessionMetaStoreFields;
use web_sys::Element;

use super::context::RowContext;
use super::images::Images;
use super::inline_editor::InlineEditor;
use super::row_action;
use super::row_action::RowAction;
use super::streamed_text::StreamedText;
use crate::dom::element::{Changed, append, set, toggle_class, with_class, with_text};
use crate::widgets::icon::Icon;

pub fn build(context: RowContext) -> Element {
    let row = context.article("row user");
    // Screen-reader users navigate from turn to turn by this heading.
    append(&row, &with_text("h2", "visually-hidden", "You said"));
    let mut text = StreamedText::append_to(&row, "row-text");
    let mut images = Images::after_content(&row);
    let fork_buttons = fork_buttons();
    let actions = row_action::message_actions(&fork_buttons);
    append(&row, &actions);
    let article = row.clone();
    let (mut mark, mut forkable) = (Changed::default(), Changed::default());
    let mut refusal = None::<Element>;
    let mut editor = InlineEditor::new(&text.element);
    context.render_effect(&article, move |context, message| {
        text.show(&message.text);
        images.show(&context.session.id(), &message.images);
        if mark.update(message.mark) {
            toggle_class(&row, "sending", message.mark == Some(Mark::Sending));
            if let Some(note) = refusal.take() {
                note.remove();
            }
            if message.mark == Some(Mark::Refused) {
                let note = not_sent_note();
                append(&row, &note);
                refusal = Some(note);
            }
        }
        // A message that is still being sent, or was refused, is not part of the conversation and cannot be forked from.
        let can_fork = message.mark.is_none() && context.session.meta.capabilities().with(|can| can.fork);
        if forkable.update(can_fork) {
            for button in &fork_buttons {
                if can_fork { append(&actions, button) } else { button.remove() }
            }
        }
        editor.update(context);
    });
    article
}

fn fork_buttons() -> [Element; 2] {
    [
        row_action::icon_button(
            RowAction::Edit,
            Icon::Edit,
            "Edit and resend",
            "Edit and resend in a new session",
        ),
        row_action::icon_button(
            RowAction::Fork,
            Icon::Fork,
            "Fork from here",
            "Fork from here into a new session",
        ),
    ]
}

fn not_sent_note() -> Element {
    let note = with_class("p", "row-mark failed icon-before");
    set(&note, "data-icon", Icon::Alert.name());
    append(&note, &with_text("span", "", "Not sent"));
    append(
        &note,
        &row_action::text_button(
            RowAction::TakeBack,
            "button quiet icon-before",
            Icon::CornerUp,
            "Restore to editor",
        ),
    );
    note
}
