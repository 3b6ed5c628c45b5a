//! What happened to the conversation itself, such as a compaction: summaries are Markdown.

use leptos::prelude::*;

use super::entry::Entry;
use crate::ui::markdown::StreamedMarkdown;

#[component]
pub fn SystemRow(entry: Entry) -> impl IntoView {
    view! {
        <article class="row system" data-message-id=entry.id() data-kind="system">
            <StreamedMarkdown entry text=|message| &message.text />
        </article>
    }
}
