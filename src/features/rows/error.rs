//! An error, with a Retry button if it ended the last run.

use leptos::prelude::*;
use pilothouse_core::SessionState;
use pilothouse_core::protocol::SessionMetaStoreFields;
use pilothouse_core::render::failure::failure_text;
use web_sys::Element;

use super::context::RowContext;
use super::row_action;
use super::row_action::RowAction;
use super::streamed_text::StreamedText;
use crate::dom::element::{Changed, append, set};
use crate::widgets::icon::Icon;

pub fn build(context: RowContext) -> Element {
    let row = context.article("row error icon-before");
    set(&row, "data-icon", Icon::Alert.name());
    let mut text = StreamedText::append_to(&row, "row-text");
    append(&row, &row_action::icon_button(RowAction::Copy, Icon::Copy, "Copy error", ""));
    let retry = row_action::text_button(RowAction::Retry, "button icon-before", Icon::Retry, "Retry");
    let article = row.clone();
    let mut retryable = Changed::default();
    context.render_effect(&article, move |context, message| {
        text.show(&failure_text(&message.text));
        let can_retry = context.session.meta.state().get() == SessionState::Error && context.is_last();
        if retryable.update(can_retry) {
            if can_retry { append(&row, &retry) } else { retry.remove() }
        }
    });
    article
}
