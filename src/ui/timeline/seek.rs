//! Going to a place of the conversation that was found by a search: fetched if need be, built, scrolled to, marked for a
//! moment.

use std::time::Duration;

use leptos::html;
use leptos::prelude::*;
use pilothouse_highlight::COLOURED;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, Range};

use super::anchor::{find_row, show_at};
use super::window::Window;
use crate::actions::{Actions, use_actions};
use crate::browser::marks;
use crate::state::server::Session;
use crate::ui::dynamic::effect;

/// The name under which the style knows words that were found.
const FOUND: &str = "found";

/// How long a row stays marked.
const MOMENT: Duration = Duration::from_millis(2_500);

/// Follows the reader's wish as long as the timeline stands there; `stay` keeps it from following its end, `hold` keeps
/// the row that was gone to in its place.
pub fn seek_on_demand(
    session: Session,
    window: Window,
    scroller: NodeRef<html::Div>,
    stay: impl Fn() + Copy + 'static,
    hold: impl Fn(Element) + Copy + 'static,
) {
    let actions = use_actions();
    effect(move || {
        if actions.client.finding.with(Option::is_none) {
            marks::unmark(FOUND);
        }
    });
    // Marks hold on to texts, and colours make others of them.
    let again = move || {
        if let Some(scroller) = scroller.try_get_untracked().flatten()
            && actions.client.finding.with_untracked(Option::is_some)
        {
            mark_words(actions, window, scroller.unchecked_into(), None, hold);
        }
    };
    effect(move || {
        window.near.built.track();
        again();
    });
    let coloured = window_event_listener_untyped(COLOURED, move |_| again());
    on_cleanup(move || coloured.remove());
    effect(move || {
        let wish = actions.client.seek.get().filter(|seek| seek.session_id == session.id());
        let Some(wish) = wish else { return };
        actions.client.seek.set(None);
        actions.find_row(session, wish.entry, move |position| actions.client.show_row.set(Some(position)));
    });
    effect(move || {
        let Some(position) = actions.client.show_row.get() else { return };
        actions.client.show_row.set(None);
        stay();
        window.want(position);
        // Rows that were fetched or built for it stand there with the next frame.
        request_animation_frame(move || {
            // A scroll to the end that was still on its way may have been taken for the reader's wish.
            stay();
            let row_id = session.row_id_at(position);
            let scroller = scroller.try_get_untracked().flatten();
            let Some(scroller) = scroller else { return };
            let shown = row_id.and_then(|row_id| show(&scroller, &row_id));
            if let Some(row) = &shown {
                hold(row.clone());
            }
            mark_words(actions, window, scroller.unchecked_into(), shown, hold);
        });
    });
}

/// What is looked for is marked in all rows that stand there, and brought into view where a row is longer than it.
fn mark_words(
    actions: Actions,
    window: Window,
    scroller: HtmlElement,
    row: Option<Element>,
    hold: impl Fn(Element) + 'static,
) {
    // What opens by itself with the row stands there a moment later.
    request_animation_frame(move || {
        // Meanwhile the reader may have closed the search.
        let Some(words) = actions.client.finding.get_untracked() else { return };
        // Going to the row has taken its other end out of view, and what has opened is not all built.
        row.iter().for_each(|row| window.near.reveal(row));
        let places = marks::mark(FOUND, &scroller, &words);
        let Some(row) = row else { return };
        let inside = |place: &&Range| place.start_container().is_ok_and(|node| row.contains(Some(&node)));
        let Some(place) = places.iter().find(inside) else { return };
        let (view, place) = (scroller.get_bounding_client_rect(), place.get_bounding_client_rect());
        if place.top() < view.top() || place.bottom() > view.bottom() {
            let by = place.top() - view.top() - view.height() / 4.0;
            scroller.set_scroll_top(scroller.scroll_top() + by.round() as i32);
            hold(row);
        }
    });
}

fn show(scroller: &HtmlElement, row_id: &str) -> Option<Element> {
    let row = find_row(scroller, row_id)?;
    // What was found may be inside.
    if let Ok(Some(closed)) = row.query_selector("[aria-expanded=false]") {
        closed.unchecked_into::<HtmlElement>().click();
    }
    show_at(scroller, &row, None, f64::from(scroller.client_height()) / 4.0);
    let _ = row.set_attribute("data-found", "");
    let marked = row.clone();
    set_timeout(move || drop(marked.remove_attribute("data-found")), MOMENT);
    Some(row)
}
