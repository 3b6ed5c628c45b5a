//! What the agent says.

use leptos::prelude::*;
use pilothouse_core::Mark;

use super::entry::Entry;
use super::images::Images;
use super::row_actions::RowActions;
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
            <RowActions entry />
            <When when=move || entry.is_marked(Mark::Interrupted)>
                <p class="row-mark">"Stopped here"</p>
            </When>
        </article>
    }
}
