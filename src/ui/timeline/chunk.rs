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
    let near = RwSignal::new(false);
    let built = window.is_built(number, near);
    let rows = move || if built.get() { window.rows(number, near) } else { Vec::new() };
    let build = move |row: &Row| rows::build(Entry { actions, session, row: row.clone() });
    let owner = Owner::current().unwrap_or_default();
    let begin = move |place: Element| owner.with(|| keep(place, rows, build));
    effect(move || {
        let Some(place) = place.get() else { return };
        let style = HtmlElement::style(&place);
        if built.get() {
            let _ = style.remove_property("height");
            window.near.built.set(());
        } else {
            let _ = style.set_property("height", &format!("{}px", window.height(number).round() as i32));
        }
    });
    let watched = StoredValue::new_local(None);
    effect(move || {
        if let Some(place) = place.get() {
            watched.set_value(Some(window.watch(number, &place, near)));
        }
    });
    on_cleanup(move || drop(watched.try_update_value(Option::take)));
    view! { <div class="chunk" node_ref=place use:begin data-chunk=number.to_string()></div> }.into_any()
}
