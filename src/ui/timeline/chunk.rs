//! Rows that are built or not built together.

use leptos::html;
use leptos::prelude::*;
use web_sys::{Element, HtmlElement};

use super::window::Window;
use crate::actions::use_actions;
use crate::state::server::{Row, Session};
use crate::ui::dynamic::effect;
use crate::ui::kept::keep;
use crate::ui::rows::{self, entry::Entry};

#[component]
pub fn Chunk(session: Session, window: Window, number: usize) -> AnyView {
    let actions = use_actions();
    let place = NodeRef::<html::Div>::new();
    let built = window.is_built(number);
    let rows = move || if built.get() { window.rows(number) } else { Vec::new() };
    let build = move |row: &Row| rows::build(Entry { actions, session, row: row.clone() });
    let owner = Owner::current().unwrap_or_default();
    let begin = move |place: Element| owner.with(|| keep(place, rows, build));
    effect(move || {
        let Some(place) = place.get() else { return };
        let style = HtmlElement::style(&place);
        let _ = if built.get() {
            style.remove_property("height").map(drop)
        } else {
            style.set_property("height", &format!("{}px", window.height(number).round() as i32))
        };
    });
    effect(move || {
        if let Some(place) = place.get() {
            window.follow(&place);
        }
    });
    on_cleanup(move || {
        let place = place.try_get_untracked().flatten();
        window.leave(number, place.as_ref().map(|place| place.as_ref()));
    });
    view! { <div class="chunk" node_ref=place use:begin data-chunk=number.to_string()></div> }.into_any()
}
