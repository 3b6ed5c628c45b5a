//! The model's thinking: one grey line with its first words, the whole on a click.

use leptos::prelude::*;
use pilothouse_core::Mark;

use super::entry::Entry;
use super::streamed_text::StreamedText;
use crate::ui::dynamic::{clicked, live};
use crate::ui::icon::{Glyph, Icon};

#[component]
pub fn ThinkingRow(entry: Entry) -> impl IntoView {
    let open = entry.expanded();
    let label = move || match (entry.is_live(), entry.is_marked(Mark::Interrupted)) {
        (true, _) => "Thinking…",
        (false, true) => "Thought, stopped",
        (false, false) => "Thought",
    };
    view! {
        <article
            class="row thinking"
            class:open=open
            class:live=live(move || entry.is_live())
            data-message-id=entry.id()
            data-kind="thinking"
        >
            <button
                type="button"
                class="row-line"
                aria-expanded=live(move || open.get().to_string())
                on:click=clicked(move |_| open.update(|open| *open = !*open))
            >
                <Glyph icon=Icon::Thought />
                <span class="row-verb">{live(label)}</span>
                <Glyph icon=Icon::Chevron class="chevron" />
            </button>
            <StreamedText entry text=|message| &message.text class="row-text" />
        </article>
    }
}
