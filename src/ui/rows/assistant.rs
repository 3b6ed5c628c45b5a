//! What the agent says.

use leptos::prelude::*;
use pilothouse_core::Mark;

use super::entry::Entry;
use super::images::Images;
use super::streamed_text::StreamedText;

#[component]
pub fn AssistantRow(entry: Entry) -> impl IntoView {
    view! {
        <article
            class="row assistant"
            class:live=move || entry.is_live()
            data-message-id=entry.id()
            data-kind="assistant"
        >
            <StreamedText entry text=|message| &message.text class="row-text" />
            <Images entry />
            <Show when=move || entry.is_marked(Mark::Interrupted)>
                <p class="row-mark">"Stopped here"</p>
            </Show>
        </article>
    }
}
