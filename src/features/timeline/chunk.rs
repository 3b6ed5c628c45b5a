//! A chunk of rows, which are built and emptied together.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::branch_line;
use super::window::Window;
use crate::actions::Actions;
use crate::dom::element::{set, with_class};
use crate::dom::keyed_list::{render_effect, render_keyed};
use crate::features::rows;
use crate::features::rows::context::RowContext;
use crate::store::server::{Row, Session};

/// An element of a chunk.
#[derive(PartialEq)]
enum Item {
    Row(Row),
    /// The other branches after this number of rows.
    Branches(usize),
}

/// The rows, and the lines between them. Tracked.
fn items_of(session: Session, rows: Vec<Row>) -> Vec<Item> {
    let mut items = Vec::with_capacity(rows.len());
    let branches = |row| Some(Item::Branches(row)).filter(|_| branch_line::has_branches(session, row));
    for row in rows {
        let position = row.position();
        items.extend(branches(0).filter(|_| position == 0));
        items.push(Item::Row(row));
        items.extend(branches(position.saturating_add(1)));
    }
    items
}

pub fn build(actions: Actions, session: Session, window: Window, number: usize) -> Element {
    let place = with_class("div", "chunk");
    set(&place, "data-chunk", &number.to_string());
    let near = RwSignal::new(false);
    let built = window.is_built(number, near);
    let style = place.unchecked_ref::<HtmlElement>().style();
    // Runs at once, so that the chunk has its height at its first layout.
    render_effect(Box::new(move || {
        if built.get() {
            let _ = style.remove_property("height");
            window.near.built.set(true);
        } else {
            let _ = style.set_property("height", &format!("{}px", window.height(number).round() as usize));
        }
    }));
    let items = move || if built.get() { items_of(session, window.rows(number, near)) } else { Vec::new() };
    let build = move |item: &Item| match item {
        Item::Row(row) => rows::build(RowContext { actions, session, row: row.clone() }),
        Item::Branches(row) => branch_line::build(actions, session, *row),
    };
    render_keyed(place.clone(), items, build);
    let watched = StoredValue::new_local(Some(window.watch(number, &place, near)));
    on_cleanup(move || drop(watched.try_update_value(Option::take)));
    place
}
