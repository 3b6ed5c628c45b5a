//! What the person said.

use leptos::prelude::*;
use pilothouse_core::Mark;

use super::entry::Entry;
use super::images::Images;
use super::streamed_text::StreamedText;
use crate::actions::use_actions;
use crate::ui::copy_button::CopyButton;
use crate::ui::dynamic::{When, clicked, live};
use crate::ui::icon::{Glyph, Icon};

#[component]
pub fn UserRow(entry: Entry) -> impl IntoView {
    let actions = use_actions();
    let take_back = move |_| {
        let (text, images) = entry.peek(|message| (message.text.clone(), message.images.clone()));
        actions.take_back(entry.session, &entry.id(), text, images);
    };
    // A row that is not yet part of the conversation is no place to fork from.
    let can_fork = move || {
        entry.session.capabilities.with(|can| can.fork) && entry.read(|message| message.mark.is_none())
    };
    view! {
        <article
            class="row user"
            class:sending=live(move || entry.is_marked(Mark::Sending))
            data-message-id=entry.id()
            data-kind="user"
        >
            // Screen readers go from turn to turn by it.
            <h2 class="visually-hidden">"You said"</h2>
            <StreamedText entry text=|message| &message.text class="row-text" />
            <Images entry />
            <div class="row-actions">
                <CopyButton label="Copy this message" text=Box::new(move || entry.peek(|message| message.text.clone())) />
                <When when=can_fork>
                    <button
                        type="button"
                        class="button icon-only quiet row-action"
                        aria-label="Fork from here"
                        title="Fork from here: a new session up to this message, to say it differently"
                        on:click=clicked(move |_| actions.fork(entry.session, entry.position()))
                    >
                        <Glyph icon=Icon::Fork />
                    </button>
                </When>
            </div>
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
