//! Rows that are built or not built together.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::window::Window;
use crate::actions::use_actions;
use crate::state::server::{Row, Session};
use crate::ui::dynamic::effect;
use crate::ui::rows::{self, entry::Entry};

#[component]
pub fn Chunk(session: Session, window: Window, number: usize) -> AnyView {
    let actions = use_actions();
    let place = NodeRef::<html::Div>::new();
    let built = window.is_built(number);
    let content = StoredValue::new_local(Content::default());
    // Rows live as long as they are built, and not only until the next time that this is looked at.
    let owner = Owner::current().unwrap_or_default();
    let show = move |place: &Element, is_built: bool| {
        let rows = if is_built { window.rows(number) } else { Vec::new() };
        let build = |row| untrack(|| rows::build(Entry { actions, session, row }));
        owner.with(|| content.try_update_value(|content| content.show(place, &rows, build)));
        set_height(place, (!is_built).then(|| window.height(number)));
    };
    // What is there already stands there at once; only what comes later is told.
    let first = show.clone();
    let begin = move |place: Element| untrack(|| first(&place, built.get()));
    effect(move || {
        if let Some(place) = place.get() {
            show(&place, built.get());
        }
    });
    effect(move || {
        if let Some(place) = place.get() {
            window.follow(&place);
        }
    });
    on_cleanup(move || {
        let place = place.try_get_untracked().flatten();
        window.leave(number, place.as_ref().map(|place| place.as_ref()));
        content.try_update_value(|content| content.rows.clear());
    });
    view! { <div class="chunk" node_ref=place use:begin data-chunk=number.to_string()></div> }.into_any()
}

/// The rows that stand there, in their order.
#[derive(Default)]
struct Content {
    rows: Vec<Built>,
}

struct Built {
    key: u64,
    element: Element,
    owner: Owner,
}

impl Drop for Built {
    fn drop(&mut self) {
        self.owner.cleanup();
        self.element.remove();
    }
}

impl Content {
    /// Rows that stay are left alone. Those that stay never change their order.
    fn show(&mut self, place: &Element, rows: &[Row], build: impl Fn(Row) -> Element) {
        self.rows.retain(|built| rows.iter().any(|row| row.key() == built.key));
        for (index, row) in rows.iter().enumerate() {
            if self.rows.get(index).is_some_and(|built| built.key == row.key()) {
                continue;
            }
            let owner = Owner::new();
            let element = owner.with(|| build(row.clone()));
            let next = self.rows.get(index).map(|built| built.element.as_ref());
            let _ = place.insert_before(&element, next);
            self.rows.insert(index, Built { key: row.key(), element, owner });
        }
    }
}

/// An empty chunk has the height it had, or a guess.
fn set_height(place: &Element, height: Option<f64>) {
    let style = place.unchecked_ref::<HtmlElement>().style();
    let _ = match height {
        Some(height) => style.set_property("height", &format!("{}px", height.round() as i32)),
        None => style.remove_property("height").map(drop),
    };
}
