//! The model's thinking: a header with the first words, expandable to the whole text.

use leptos::prelude::*;
use pilothouse_core::Mark;
use web_sys::Element;

use super::context::RowContext;
use super::header::RowHeader;
use super::streamed_text::StreamedText;
use crate::dom::element::{Changed, toggle_class};
use crate::widgets::icon::Icon;

pub fn build(context: RowContext) -> Element {
    let row = context.article("row thinking");
    let header = RowHeader::append_to(&row);
    let mut text = StreamedText::append_to(&row, "row-text");
    let article = row.clone();
    let (mut label, mut open) = (Changed::default(), Changed::default());
    let expanded = context.watch_expanded();
    context.render_effect(&article, move |context, message| {
        let live = context.is_live();
        let new_label = match (live, message.mark == Some(Mark::Interrupted)) {
            (true, _) => "Thinking…",
            (false, true) => "Thought (stopped)",
            (false, false) => "Thought",
        };
        if label.update(new_label) {
            toggle_class(&row, "live", live);
            header.set_content(Icon::Thought, &[("row-verb", "", new_label)]);
        }
        let is_open = expanded.get();
        if open.update(is_open) {
            header.set_open(&row, is_open);
        }
        text.show(&message.text);
    });
    article
}
