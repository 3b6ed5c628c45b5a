//! Attachments that go with the next message: small, each with a way to take it out again.

use leptos::prelude::*;

use crate::actions::use_actions;
use crate::features::rows::images::source;
use crate::store::client::Attachment;
use crate::store::server::Session;
use crate::widgets::icon::{Glyph, Icon};

#[component]
pub fn AttachmentTray(session: Session) -> impl IntoView {
    let pictures = use_actions().client.attachments;
    let tray = pictures.of(&session.id());
    let id = StoredValue::new(session.id());
    let problem = move || {
        let here = |session_id: &String| id.with_value(|id| id == session_id);
        pictures.problem.get().filter(|(session_id, _)| here(session_id)).map(|(_, why)| why)
    };
    let picture = move |picture: Attachment| {
        let address = id.with_value(|id| source(id, &picture.image));
        view! {
            <li class="picture" data-pending-image="">
                <img src=address alt="Image to send" />
                <button
                    type="button"
                    class="picture-remove"
                    aria-label="Remove image"
                    title="Remove image"
                    on:click=move |_| id.with_value(|id| pictures.remove(id, picture.key))
                >
                    <Glyph icon=Icon::Close />
                </button>
            </li>
        }
        .into_any()
    };
    view! {
        <Show when=move || !tray.with(Vec::is_empty)>
            <ul class="pictures" aria-label="Images to send">
                <For each=move || tray.get() key=|picture| picture.key.to_string() children=picture />
            </ul>
        </Show>
        <p class="problem picture-problem" role="alert">{problem}</p>
    }
}
