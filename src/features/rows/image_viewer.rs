//! The dialog that shows an image in full size. Escape, a click beside the image or the button closes it.

use leptos::prelude::*;

use crate::actions::use_actions;
use crate::widgets::dialog::Dialog;
use crate::widgets::icon::{Glyph, Icon};

#[component]
pub fn ImageViewer() -> impl IntoView {
    let viewed = use_actions().client.viewed;
    let open = Signal::derive(move || viewed.with(Option::is_some));
    let close = Callback::new(move |()| viewed.set(None));
    view! {
        <Dialog open close class="viewer" label="Image" closes_by_click=true>
            <button type="button" class="button icon-only viewer-close" aria-label="Close">
                <Glyph icon=Icon::Close />
            </button>
            {move || viewed.get().map(|source| view! { <img src=source alt="Full-size image" /> })}
        </Dialog>
    }
}
