//! A message of the agent, rendered as Markdown.

use pilothouse_core::Mark;
use web_sys::Element;

use super::context::RowContext;
use super::images::Images;
use super::markdown::Markdown;
use super::row_action;
use crate::dom::element::{Changed, append, toggle_class, with_text};

pub fn build(context: RowContext) -> Element {
    let row = context.article("row assistant");
    let mut text = Markdown::append_to(&row);
    let mut images = Images::after_content(&row);
    append(&row, &row_action::message_actions(&[]));
    let article = row.clone();
    let (mut live, mut interrupted) = (Changed::default(), Changed::default());
    let note = with_text("p", "row-mark", "Interrupted");
    context.render_effect(&article, move |context, message| {
        let is_live = context.is_live();
        if live.update(is_live) {
            toggle_class(&row, "live", is_live);
        }
        text.show(&message.text, is_live);
        images.show(&context.session.id(), &message.images);
        let is_interrupted = message.mark == Some(Mark::Interrupted);
        if interrupted.update(is_interrupted) {
            if is_interrupted { append(&row, &note) } else { note.remove() }
        }
    });
    article
}
