//! The model's thinking: one grey line with its first words, the whole on a click.

use pilothouse_core::Mark;
use web_sys::Element;

use super::entry::Entry;
use super::line::Line;
use super::streamed_text::StreamedText;
use crate::dom::element::{Changed, set_class};
use crate::widgets::icon::Icon;

pub fn build(entry: Entry) -> Element {
    let row = entry.article("row thinking");
    let line = Line::in_row(&row);
    let mut text = StreamedText::in_place(&row, "row-text");
    let article = row.clone();
    let (mut words, mut open) = (Changed::default(), Changed::default());
    entry.follow(move |entry, message| {
        let live = entry.is_live();
        let label = match (live, message.mark == Some(Mark::Interrupted)) {
            (true, _) => "Thinking…",
            (false, true) => "Thought, stopped",
            (false, false) => "Thought",
        };
        if words.differs(label) {
            set_class(&row, "live", live);
            line.write(Icon::Thought, &[("row-verb", "", label)]);
        }
        let is_open = entry.is_open();
        if open.differs(is_open) {
            line.set_open(&row, is_open);
        }
        text.show(&message.text);
    });
    article
}
