//! What happened to the conversation itself, such as a compaction.

use leptos::prelude::*;

use super::entry::Entry;
use super::streamed_text::StreamedText;

#[component]
pub fn SystemRow(entry: Entry) -> impl IntoView {
    view! {
        <article class="row system" data-message-id=entry.id() data-kind="system">
            <StreamedText entry text=|message| &message.text class="row-text" />
        </article>
    }
}
