//! What the agent says.

use pilothouse_core::Mark;
use web_sys::Element;

use super::click;
use super::entry::Entry;
use super::images::Images;
use super::markdown::Markdown;
use crate::dom::element::{Changed, add, set_class, with_text};

pub fn build(entry: Entry) -> Element {
    let row = entry.article("row assistant");
    let mut text = Markdown::in_place(&row);
    let mut images = Images::in_row(&row);
    add(&row, &click::of_message(&[]));
    let article = row.clone();
    let (mut live, mut interrupted) = (Changed::default(), Changed::default());
    let mark = with_text("p", "row-mark", "Stopped here");
    entry.follow(move |entry, message| {
        let is_live = entry.is_live();
        if live.differs(is_live) {
            set_class(&row, "live", is_live);
        }
        text.show(&message.text, is_live);
        images.show(&entry.session.id(), &message.images);
        let is_interrupted = message.mark == Some(Mark::Interrupted);
        if interrupted.differs(is_interrupted) {
            if is_interrupted { add(&row, &mark) } else { mark.remove() }
        }
    });
    article
}
