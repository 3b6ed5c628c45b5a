//! Going to a place of the conversation that was found by a search: fetched if need be, scrolled to, marked for a
//! moment.

use std::time::Duration;

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::dynamic::effect;
use crate::actions::use_actions;
use crate::state::server::Session;

/// How long it stays marked.
const MOMENT: Duration = Duration::from_millis(2_500);

/// Follows the reader's wish as long as the timeline stands there; `stay` keeps it from following its end.
pub fn seek_on_demand(session: Session, scroller: NodeRef<html::Div>, stay: impl Fn() + Copy + 'static) {
    let actions = use_actions();
    effect(move || {
        let wish = actions.client.seek.get().filter(|seek| seek.session_id == session.id());
        let Some(wish) = wish else { return };
        actions.client.seek.set(None);
        actions.find_row(session, wish.entry, move |row_id| {
            stay();
            // Rows that were fetched for it stand there with the next frame.
            request_animation_frame(move || {
                if let Some(scroller) = scroller.try_get_untracked().flatten() {
                    show(&scroller, &row_id);
                }
            });
        });
    });
}

fn show(scroller: &HtmlElement, row_id: &str) {
    let Some(row) = find(scroller, row_id) else { return };
    // What was found may be inside.
    if let Ok(Some(closed)) = row.query_selector("[aria-expanded=false]") {
        closed.unchecked_into::<HtmlElement>().click();
    }
    let from_top = row.get_bounding_client_rect().top() - scroller.get_bounding_client_rect().top();
    scroller.set_scroll_top(scroller.scroll_top() + from_top as i32 - scroller.client_height() / 4);
    let _ = row.set_attribute("data-found", "");
    set_timeout(move || drop(row.remove_attribute("data-found")), MOMENT);
}

/// Compared, not put into a selector: ids are the server's.
fn find(scroller: &HtmlElement, row_id: &str) -> Option<Element> {
    let rows = scroller.query_selector_all("[data-message-id]").ok()?;
    let mut rows = (0..rows.length()).filter_map(|index| rows.item(index)?.dyn_into::<Element>().ok());
    rows.find(|row| row.get_attribute("data-message-id").as_deref() == Some(row_id))
}
