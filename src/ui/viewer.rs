//! A picture as large as the window, above everything. Escape, a click beside it or its button closes it.

use leptos::prelude::*;

use super::dialog::Dialog;
use super::dynamic::live;
use super::icon::{Glyph, Icon};
use crate::actions::use_actions;

#[component]
pub fn Viewer() -> impl IntoView {
    let viewed = use_actions().client.viewed;
    let open = Signal::derive(move || viewed.with(Option::is_some));
    let close = Callback::new(move |()| viewed.set(None));
    view! {
        <Dialog open close class="viewer" label="Image" closes_by_click=true>
            <button type="button" class="button icon-only viewer-close" aria-label="Close">
                <Glyph icon=Icon::Close />
            </button>
            {live(move || viewed.get().map(|source| view! { <img src=source alt="The image in full" /> }))}
        </Dialog>
    }
}
