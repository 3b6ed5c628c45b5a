//! What happened to the conversation itself. A summary says what it is on one line and opens on a click: it repeats, at
//! length, what stands above. How a question ended is shown word for word, other notes as the Markdown they are.

use leptos::prelude::*;
use pilothouse_core::Mark;

use super::entry::Entry;
use super::streamed_text::StreamedText;
use crate::ui::dynamic::{When, clicked, live};
use crate::ui::icon::{Glyph, Icon};
use crate::ui::markdown::StreamedMarkdown;

#[component]
pub fn SystemRow(entry: Entry) -> AnyView {
    let summary = match entry.read(|message| message.mark) {
        Some(Mark::Compacted) => Some((Icon::Compact, "Compacted", "The model goes on from a summary")),
        Some(Mark::LeftBranch) => Some((Icon::Fork, "Another branch", "A summary of what was left")),
        _ => None,
    };
    let Some((icon, verb, target)) = summary else {
        let text = match entry.is_marked(Mark::Answered) {
            true => view! { <StreamedText entry text=|message| &message.text class="row-text" /> }.into_any(),
            false => view! { <StreamedMarkdown entry text=|message| &message.text /> }.into_any(),
        };
        return view! {
            <article class="row system" data-message-id=entry.id() data-kind="system">{text}</article>
        }
        .into_any();
    };
    let open = entry.expanded();
    view! {
        <article class="row summary" class:open=open data-message-id=entry.id() data-kind="system">
            <button
                type="button"
                class="row-line"
                aria-expanded=live(move || open.get().to_string())
                on:click=clicked(move |_| open.update(|open| *open = !*open))
            >
                <Glyph icon />
                <span class="row-verb">{verb}</span>
                <span class="row-target">{target}</span>
                <Glyph icon=Icon::Chevron class="chevron" />
            </button>
            <When when=move || open.get()>
                <div class="summary-text">
                    <StreamedMarkdown entry text=|message| &message.text />
                </div>
            </When>
        </article>
    }
    .into_any()
}
