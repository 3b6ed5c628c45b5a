//! Rows that are built or not built together.

use leptos::html;
use leptos::prelude::*;
use web_sys::HtmlElement;

use super::window::Window;
use crate::state::server::Session;
use crate::ui::dynamic::{effect, list, live, memo};
use crate::ui::rows::TimelineRow;

#[component]
pub fn Chunk(session: Session, window: Window, number: usize) -> AnyView {
    let place = NodeRef::<html::Div>::new();
    let built = window.is_built(number);
    let rows = memo(move || window.rows(number));
    effect(move || {
        if let Some(place) = place.get() {
            window.follow(&place);
        }
    });
    effect(move || {
        let Some(place) = place.get() else { return };
        let style = HtmlElement::style(&place);
        let _ = if built.get() {
            style.remove_property("height").map(drop)
        } else {
            style.set_property("height", &format!("{}px", window.height(number)))
        };
    });
    on_cleanup(move || {
        let place = place.try_get_untracked().flatten();
        window.leave(number, place.as_ref().map(|place| place.as_ref()));
    });
    let content = move || {
        built.get().then(|| {
            list(
                move || rows.get(),
                |row| row.key().to_string(),
                move |row| view! { <TimelineRow session row /> }.into_any(),
            )
        })
    };
    view! {
        <div class="chunk" node_ref=place data-chunk=number.to_string()>
            {live(content)}
        </div>
    }
    .into_any()
}
