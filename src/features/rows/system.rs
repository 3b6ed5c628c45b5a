//! Notes about the conversation itself. Summaries, which repeat at length what is above them, are collapsed to a header.
//! The outcome of a question is plain text; other notes are Markdown.

use leptos::prelude::*;
use pilothouse_core::Mark;
use web_sys::Element;

use super::context::RowContext;
use super::header::RowHeader;
use super::markdown::Markdown;
use super::streamed_text::StreamedText;
use crate::dom::element::{Changed, append, with_class};
use crate::widgets::icon::Icon;

pub fn build(context: RowContext) -> Element {
    match context.session.read_untracked(&context.row, |message| message.mark) {
        Some(Mark::Compacted) => {
            summary(context, Icon::Compact, "Compacted", "The model continues from a summary")
        }
        Some(Mark::LeftBranch) => {
            summary(context, Icon::Fork, "Switched branch", "Summary of the previous branch")
        }
        Some(Mark::Answered) => {
            let row = context.article("row system");
            let mut text = StreamedText::append_to(&row, "row-text");
            context.render_effect(&row, move |_, message| text.show(&message.text));
            row
        }
        _ => {
            let row = context.article("row system");
            let mut text = Markdown::append_to(&row);
            context.render_effect(&row, move |context, message| text.show(&message.text, context.is_live()));
            row
        }
    }
}

fn summary(context: RowContext, icon: Icon, verb: &str, target: &str) -> Element {
    let row = context.article("row summary");
    let header = RowHeader::append_to(&row);
    header.set_content(icon, &[("row-verb", "", verb), ("row-target", "", target)]);
    let article = row.clone();
    let mut open = Changed::default();
    let mut details = None::<(Element, Markdown)>;
    let expanded = context.watch_expanded();
    context.render_effect(&article, move |context, message| {
        let is_open = expanded.get();
        if open.update(is_open) {
            header.set_open(&row, is_open);
            if let Some((container, _)) = details.take() {
                container.remove();
            }
        }
        if is_open {
            let (_, text) = details.get_or_insert_with(|| {
                let container = with_class("div", "summary-text");
                append(&row, &container);
                let text = Markdown::append_to(&container);
                (container, text)
            });
            text.show(&message.text, context.is_live());
        }
    });
    article
}
