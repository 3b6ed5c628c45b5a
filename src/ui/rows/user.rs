//! What the person said.

use leptos::prelude::*;
use pilothouse_core::Mark;

use super::entry::Entry;
use super::images::Images;
use super::row_actions::{RowActions, row_action};
use super::streamed_text::StreamedText;
use crate::actions::use_actions;
use crate::ui::dynamic::{When, clicked, live, memo};
use crate::ui::icon::{Glyph, Icon};
use crate::ui::message_editor::MessageEditor;

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
    let rewriting = actions.client.rewriting;
    let editing = memo(move || rewriting.is_open(&entry.session.id(), &entry.id()));
    let edit =
        move || rewriting.begin(&entry.session.id(), &entry.id(), entry.peek(|message| message.text.clone()));
    view! {
        <article
            class="row user"
            class:sending=live(move || entry.is_marked(Mark::Sending))
            data-message-id=entry.id()
            data-kind="user"
        >
            // Screen readers go from turn to turn by it.
            <h2 class="visually-hidden">"You said"</h2>
            <When when=move || !editing.get() fallback=move || view! { <Rewriting entry /> }>
                <StreamedText entry text=|message| &message.text class="row-text" />
            </When>
            <Images entry />
            <RowActions entry>
                <When when=can_fork>
                    {row_action("Edit and resend", "Edit and resend: goes on from here in a new session", Icon::Edit, edit)}
                    {row_action("Fork from here", "Fork from here: a new session up to this message", Icon::Fork, move || {
                        actions.fork(entry.session, entry.position());
                    })}
                </When>
            </RowActions>
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

/// The message in a field, in place. What was said stays: the new words begin another session.
#[component]
fn Rewriting(entry: Entry) -> impl IntoView {
    let actions = use_actions();
    let rewriting = actions.client.rewriting;
    let save = move || {
        let images = entry.peek(|message| message.images.clone());
        actions.resend(entry.session, entry.position(), rewriting.text(), images);
    };
    view! {
        <MessageEditor
            label="Message"
            name="message"
            text=rewriting.text()
            yes="Resend"
            write=Box::new(move |text| rewriting.write(text))
            save=Callback::new(move |()| save())
            cancel=Callback::new(move |()| rewriting.end())
        />
    }
}
