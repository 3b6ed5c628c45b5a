//! What went wrong, and what can be done about it.

use leptos::prelude::*;
use pilothouse_core::SessionState;
use pilothouse_core::protocol::SessionMetaStoreFields;
use pilothouse_core::render::failure::failure_text;
use web_sys::Element;

use super::click;
use super::click::Act;
use super::entry::Entry;
use super::streamed_text::StreamedText;
use crate::dom::element::{Changed, add, set};
use crate::widgets::icon::Icon;

pub fn build(entry: Entry) -> Element {
    let row = entry.article("row error icon-before");
    set(&row, "data-icon", Icon::Alert.name());
    let mut text = StreamedText::in_place(&row, "row-text");
    add(&row, &click::small(Act::Copy, Icon::Copy, "Copy this error", ""));
    let retry = click::button(Act::Retry, "button icon-before", Icon::Retry, "Retry");
    let article = row.clone();
    let mut offered = Changed::default();
    entry.follow(move |entry, message| {
        text.show(&failure_text(&message.text));
        let can_retry = entry.session.meta.state().get() == SessionState::Error && entry.is_last();
        if offered.differs(can_retry) {
            if can_retry { add(&row, &retry) } else { retry.remove() }
        }
    });
    article
}
