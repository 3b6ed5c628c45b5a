//! What the agent says.

use leptos::prelude::*;
use pilothouse_core::Mark;

use super::entry::Entry;
use super::images::Images;
use crate::ui::copy_button::CopyButton;
use crate::ui::dynamic::{When, live};
use crate::ui::markdown::StreamedMarkdown;

#[component]
pub fn AssistantRow(entry: Entry) -> impl IntoView {
    view! {
        <article
            class="row assistant"
            class:live=live(move || entry.is_live())
            data-message-id=entry.id()
            data-kind="assistant"
        >
            <StreamedMarkdown entry text=|message| &message.text />
            <Images entry />
            <div class="row-actions">
                <CopyButton label="Copy this message" text=Box::new(move || entry.peek(|message| message.text.clone())) />
            </div>
            <When when=move || entry.is_marked(Mark::Interrupted)>
                <p class="row-mark">"Stopped here"</p>
            </When>
        </article>
    }
}
