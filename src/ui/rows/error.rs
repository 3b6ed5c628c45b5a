//! What went wrong, and what can be done about it.

use leptos::prelude::*;
use pilothouse_core::SessionState;

use super::entry::Entry;
use super::streamed_text::StreamedText;
use crate::actions::use_actions;
use crate::ui::dynamic::{When, clicked};
use crate::ui::icon::{Glyph, Icon};

#[component]
pub fn ErrorRow(entry: Entry) -> impl IntoView {
    let actions = use_actions();
    let can_retry = move || entry.session.state.get() == SessionState::Error && entry.is_last();
    view! {
        <article class="row error" data-message-id=entry.id() data-kind="error">
            <Glyph icon=Icon::Alert />
            <StreamedText entry text=|message| &message.text class="row-text" />
            <When when=can_retry>
                <button type="button" class="button" on:click=clicked(move |_| actions.retry(entry.session))>
                    <Glyph icon=Icon::Retry />
                    "Retry"
                </button>
            </When>
        </article>
    }
}
