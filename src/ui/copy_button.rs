//! A small button that copies a text or an address, and says for a moment that it did.

use std::time::Duration;

use leptos::prelude::*;

use super::dynamic::{clicked, live};
use super::icon::{Glyph, Icon};
use crate::browser::texts;

#[component]
pub fn CopyButton(label: &'static str, icon: Icon, text: Box<dyn Fn() -> String>) -> impl IntoView {
    let done = RwSignal::new(None::<bool>);
    let copy = move |_| {
        texts::copy(&text(), move |copied| {
            done.try_set(Some(copied));
            set_timeout(move || _ = done.try_set(None), Duration::from_secs(2));
        });
    };
    let words = move || match done.get() {
        None => label,
        Some(true) => "Copied",
        Some(false) => "The browser does not allow it",
    };
    let face = Signal::derive(move || match done.get() {
        None => icon,
        Some(true) => Icon::Check,
        Some(false) => Icon::Alert,
    });
    view! {
        <button
            type="button"
            class="button icon-only quiet row-action"
            aria-label=live(words)
            title=live(words)
            on:click=clicked(copy)
        >
            <Glyph icon=face />
        </button>
    }
}
