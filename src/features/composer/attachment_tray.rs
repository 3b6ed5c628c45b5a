//! Thumbnails of the images attached to the next message, each with a button to remove it.

use leptos::prelude::*;

use crate::actions::use_actions;
use crate::features::rows::images::source;
use crate::store::client::Attachment;
use crate::store::server::Session;
use crate::widgets::icon::{Glyph, Icon};

/// The images attached to a session's draft, and why the last one was refused.
#[component]
pub fn AttachmentTray(session: Session) -> impl IntoView {
    let attachments = use_actions().client.attachments;
    let attached = attachments.of(&session.id());
    let id = StoredValue::new(session.id());
    let problem = move || {
        let is_here = |session_id: &String| id.with_value(|id| id == session_id);
        attachments.problem.get().filter(|(session_id, _)| is_here(session_id)).map(|(_, problem)| problem)
    };
    let thumbnail = move |attachment: Attachment| {
        let src = id.with_value(|id| source(id, &attachment.image));
        view! {
            <li class="picture" data-pending-image="">
                <img src=src alt="Attached image" />
                <button
                    type="button"
                    class="picture-remove"
                    aria-label="Remove image"
                    title="Remove image"
                    on:click=move |_| id.with_value(|id| attachments.remove(id, attachment.key))
                >
                    <Glyph icon=Icon::Close />
                </button>
            </li>
        }
        .into_any()
    };
    view! {
        <Show when=move || !attached.with(Vec::is_empty)>
            <ul class="pictures" aria-label="Attached images">
                <For each=move || attached.get() key=|attachment| attachment.key.to_string() children=thumbnail />
            </ul>
        </Show>
        <p class="problem picture-problem" role="alert">{problem}</p>
    }
}
