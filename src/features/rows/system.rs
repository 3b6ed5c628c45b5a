//! What happened to the conversation itself. A summary says what it is on one line and opens on a click: it repeats, at
//! length, what stands above. How a question ended is shown word for word, other notes as the Markdown they are.

use pilothouse_core::Mark;
use web_sys::Element;

use super::entry::Entry;
use super::line::Line;
use super::markdown::Markdown;
use super::streamed_text::StreamedText;
use crate::dom::element::{Changed, add, with_class};
use crate::widgets::icon::Icon;

pub fn build(entry: Entry) -> Element {
    match entry.session.peek(&entry.row, |message| message.mark) {
        Some(Mark::Compacted) => {
            summary(entry, Icon::Compact, "Compacted", "The model goes on from a summary")
        }
        Some(Mark::LeftBranch) => summary(entry, Icon::Fork, "Another branch", "A summary of what was left"),
        Some(Mark::Answered) => {
            let row = entry.article("row system");
            let mut text = StreamedText::in_place(&row, "row-text");
            entry.follow(move |_, message| text.show(&message.text));
            row
        }
        _ => {
            let row = entry.article("row system");
            let mut text = Markdown::in_place(&row);
            entry.follow(move |entry, message| text.show(&message.text, entry.is_live()));
            row
        }
    }
}

fn summary(entry: Entry, icon: Icon, verb: &str, target: &str) -> Element {
    let row = entry.article("row summary");
    let line = Line::in_row(&row);
    line.write(icon, &[("row-verb", "", verb), ("row-target", "", target)]);
    let article = row.clone();
    let mut open = Changed::default();
    let mut whole = None::<(Element, Markdown)>;
    entry.follow(move |entry, message| {
        let is_open = entry.is_open();
        if open.differs(is_open) {
            line.set_open(&row, is_open);
            if let Some((place, _)) = whole.take() {
                place.remove();
            }
        }
        if is_open {
            let (_, text) = whole.get_or_insert_with(|| {
                let place = with_class("div", "summary-text");
                add(&row, &place);
                let text = Markdown::in_place(&place);
                (place, text)
            });
            text.show(&message.text, entry.is_live());
        }
    });
    article
}
