//! What the person said.

use leptos::prelude::*;
use pilothouse_core::Mark;

use super::entry::Entry;
use super::images::Images;
use super::streamed_text::StreamedText;
use crate::actions::use_actions;
use crate::ui::dynamic::{When, clicked, live};
use crate::ui::icon::{Glyph, Icon};

#[component]
pub fn UserRow(entry: Entry) -> impl IntoView {
    let actions = use_actions();
    let take_back = move |_| {
        let text = entry.peek(|message| message.text.clone());
        actions.take_back(entry.session, &entry.id(), text);
    };
    view! {
        <article
            class="row user"
            class:sending=live(move || entry.is_marked(Mark::Sending))
            data-message-id=entry.id()
            data-kind="user"
        >
            <StreamedText entry text=|message| &message.text class="row-text" />
            <Images entry />
            <When when=move || entry.is_marked(Mark::Refused)>
                <p class="row-mark failed">
                    <Glyph icon=Icon::Alert />
                    "Not sent"
                    <button type="button" class="button quiet" on:click=clicked(take_back)>"Take back"</button>
                </p>
            </When>
        </article>
    }
}
