//! Going to a place of the conversation that was found by a search: fetched if need be, built, scrolled to, marked for a
//! moment.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use leptos::html;
use leptos::prelude::*;
use pilothouse_highlight::COLOURED;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, Range};

use super::anchor::{find_row, show_at};
use super::window::Window;
use crate::actions::{Actions, use_actions};
use crate::browser::highlight_ranges;
use crate::store::server::Session;

/// The names under which the style knows words that were found, and those of them that are gone to.
const FOUND: &str = "found";
const HERE: &str = "here";

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
    Effect::new(move |_| {
        if actions.client.finding.with(Option::is_none) {
            leave();
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
    Effect::new(move |_| {
        window.near.built.track();
        again();
    });
    let coloured = window_event_listener_untyped(COLOURED, move |_| again());
    on_cleanup(move || coloured.remove());
    Effect::new(move |_| {
        let wish = actions.client.seek.get().filter(|seek| seek.session_id == session.id());
        let Some(wish) = wish else { return };
        actions.client.seek.set(None);
        actions.find_row(session, wish.entry, move |position| actions.client.show_row.set(Some(position)));
    });
    Effect::new(move |_| {
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

/// Where the words stand in the row that was gone to, and which of them is looked at.
struct ReadingPositions {
    scroller: HtmlElement,
    row: Element,
    all: Vec<Range>,
    at: usize,
    hold: Rc<dyn Fn(Element)>,
}

thread_local! {
    /// Of the one timeline that stands there.
    static PLACES: RefCell<Option<ReadingPositions>> = const { RefCell::new(None) };
}

/// Nothing is found any more.
pub fn leave() {
    PLACES.take();
    highlight_ranges::unmark(&[FOUND, HERE]);
}

/// No row is the one that was gone to.
pub fn unmark_rows() {
    while let Ok(Some(row)) = document().query_selector("[data-found]") {
        let _ = row.remove_attribute("data-found");
    }
}

/// Goes on to the next place in the row that was gone to, if it has one. Tells which of how many that is.
pub fn step_inside(later: bool) -> Option<(usize, usize)> {
    PLACES.with_borrow_mut(|places| {
        let places = places.as_mut()?;
        let next = if later { places.at + 1 } else { places.at.checked_sub(1)? };
        places.all.get(next)?;
        places.at = next;
        places.look();
        Some((next, places.all.len()))
    })
}

impl ReadingPositions {
    /// Marks the place and brings it into view.
    fn look(&self) {
        let Some(place) = self.all.get(self.at) else { return };
        highlight_ranges::mark_one(HERE, place);
        let (view, place) = (self.scroller.get_bounding_client_rect(), place.get_bounding_client_rect());
        if place.top() < view.top() || place.bottom() > view.bottom() {
            let by = place.top() - view.top() - view.height() / 4.0;
            self.scroller.set_scroll_top(self.scroller.scroll_top() + by.round() as i32);
            (self.hold)(self.row.clone());
        }
    }
}

/// What is looked for is marked in all rows that stand there. In the row that is gone to one place is looked at: the
/// last, unless the reader goes downwards.
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
        let marked = highlight_ranges::mark(FOUND, &scroller, &words);
        let inside = |row: &Element| {
            let inside = |place: &&Range| place.start_container().is_ok_and(|node| row.contains(Some(&node)));
            marked.iter().filter(inside).cloned().collect::<Vec<Range>>()
        };
        let Some(row) = row else {
            // Others than before, in the place of those that were marked.
            return PLACES.with_borrow_mut(|places| {
                if let Some(places) = places {
                    places.all = inside(&places.row);
                    if let Some(place) = places.all.get(places.at) {
                        highlight_ranges::mark_one(HERE, place);
                    }
                }
            });
        };
        let all = inside(&row);
        let at = if actions.client.finds_downwards.get_value() { 0 } else { all.len().saturating_sub(1) };
        actions.client.hit.set((at, all.len()));
        let places = ReadingPositions { scroller, row, all, at, hold: Rc::new(hold) };
        places.look();
        PLACES.set(Some(places));
    });
}

fn show(scroller: &HtmlElement, row_id: &str) -> Option<Element> {
    let row = find_row(scroller, row_id)?;
    // What was found may be inside.
    if let Ok(Some(closed)) = row.query_selector("[aria-expanded=false]") {
        closed.unchecked_into::<HtmlElement>().click();
    }
    show_at(scroller, &row, None, f64::from(scroller.client_height()) / 4.0);
    unmark_rows();
    let _ = row.set_attribute("data-found", "");
    let marked = row.clone();
    set_timeout(move || drop(marked.remove_attribute("data-found")), MOMENT);
    Some(row)
}
