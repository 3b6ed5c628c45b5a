//! What can be done with a message, when it is looked at: copying it, copying its address, and what its kind adds.

use leptos::prelude::*;

use super::entry::Entry;
use crate::route;
use crate::ui::copy_button::CopyButton;
use crate::ui::dynamic::clicked;
use crate::ui::icon::{Glyph, Icon};

#[component]
pub fn RowActions(entry: Entry, #[prop(optional)] children: Option<Children>) -> impl IntoView {
    let address = move || route::message_address(&entry.session.id(), entry.position());
    view! {
        <div class="row-actions">
            <CopyButton
                label="Copy this message"
                icon=Icon::Copy
                text=Box::new(move || entry.peek(|message| message.text.clone()))
            />
            <CopyButton label="Copy a link to this message" icon=Icon::Link text=Box::new(address) />
            {children.map(|children| children())}
        </div>
    }
}

pub fn row_action(label: &'static str, title: &'static str, icon: Icon, act: impl Fn() + 'static) -> AnyView {
    view! {
        <button
            type="button"
            class="button icon-only quiet row-action"
            aria-label=label
            title=title
            on:click=clicked(move |_| act())
        >
            <Glyph icon />
        </button>
    }
    .into_any()
}
