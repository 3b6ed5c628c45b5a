//! Connects the scrolling state machine with the elements of the timeline: measures, scrolls, keeps what the reader
//! looks at in place, and restores reading positions.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::anchor::{Anchor, find_row, show_at};
use super::matches::Matches;
use super::scroll::{Measure, Scroll};
use super::window::Window;
use crate::actions::Actions;
use crate::actions::timeline::{FirstMatch, TimelineView};
use crate::dom::visibility::{Visibility, after_frames};
use crate::store::client::ReadingPosition;
use crate::store::server::Session;

/// Older rows are fetched when the reader is this close to the first loaded row, in heights of the viewport.
const FETCH_DISTANCE: i32 = 2;

/// The number of frames after which a change is laid out and made up for.
const SETTLE_FRAMES: usize = 2;

/// How long a row stays highlighted after it was shown.
const HIGHLIGHT_TIME: Duration = Duration::from_millis(2_500);

/// The timeline of one session. Copied into event handlers.
#[derive(Clone, Copy)]
pub struct TimelineController {
    pub actions: Actions,
    pub session: Session,
    pub scroller: NodeRef<html::Div>,
    pub content: NodeRef<html::Div>,
    pub window: Window,
    pub visibility: Visibility,
    pub scroll: RwSignal<Scroll>,
    /// The number of rows when the reader left the end.
    pub seen: RwSignal<usize>,
    /// Older rows are being fetched.
    pub fetching: RwSignal<bool>,
    pub(super) matches: StoredValue<Option<Matches>, LocalStorage>,
    /// What the reader looks at, while not following.
    anchor: StoredValue<Option<Anchor>, LocalStorage>,
}

impl TimelineController {
    pub fn new(actions: Actions, session: Session, reading: &ReadingPosition) -> Self {
        let scroller = NodeRef::new();
        let follows = *reading == ReadingPosition::Following;
        let visibility = Visibility::new(scroller, follows);
        let window = Window::new(session, visibility);
        if let ReadingPosition::At { row, .. } = reading
            && let Some(position) = session.position_of(row)
        {
            window.want(position);
        }
        Self {
            actions,
            session,
            scroller,
            content: NodeRef::new(),
            window,
            visibility,
            scroll: RwSignal::new(if follows { Scroll::following() } else { Scroll::returning() }),
            seen: RwSignal::new(0),
            fetching: RwSignal::new(false),
            matches: StoredValue::new_local(None),
            anchor: StoredValue::new_local(None),
        }
    }

    /// The scrolling element; `None` before it is mounted and after the timeline is gone.
    pub(super) fn element(self) -> Option<HtmlElement> {
        self.scroller.try_get_untracked().flatten().map(JsCast::unchecked_into)
    }

    /// The number of rows of the conversation.
    pub fn total(self) -> usize {
        self.session.earlier.get() + self.session.rows.with(Vec::len)
    }

    /// The number of rows that were added since the reader left the end.
    pub fn unseen(self) -> usize {
        self.total().saturating_sub(self.seen.get())
    }

    fn scroll_state(self) -> Scroll {
        self.scroll.try_get_untracked().unwrap_or(Scroll::following())
    }

    /// Changes the state without notifying: nothing on the screen depends on measurements.
    fn note(self, change: impl FnOnce(&mut Scroll)) {
        let _ = self.scroll.try_update_untracked(change);
    }

    fn scroll_to_end(self) {
        if let Some(scroller) = self.element() {
            scroller.set_scroll_top(scroller.scroll_height());
            self.note(|scroll| scroll.placed(Measure::of(&scroller)));
        }
    }

    /// Stays at what the reader looks at, and does not restore an earlier position any more.
    pub(super) fn stay(self) {
        self.scroll.update(Scroll::read);
        self.seen.set(untrack(|| self.total()));
    }

    /// Keeps this row where it is from now on.
    pub(super) fn hold(self, row: Element) {
        if let Some(scroller) = self.element() {
            self.anchor.set_value(Some(Anchor::of(row, &scroller)));
            self.note(|scroll| scroll.placed(Measure::of(&scroller)));
        }
    }

    pub fn fetch_earlier(self) {
        if !self.fetching.get_untracked() && self.session.earlier.get_untracked() > 0 {
            self.fetching.set(true);
            self.actions.show_earlier(self.session, move || _ = self.fetching.try_set(false));
        }
    }

    /// Handles a scroll event.
    pub fn on_scroll(self) {
        let Some(scroller) = self.element() else { return };
        let measure = Measure::of(&scroller);
        if self.scroll.try_update_untracked(|scroll| scroll.postpone(measure)) != Some(false) {
            return;
        }
        // Makes up for changes above before the next row is held on to.
        self.keep_in_place(&scroller);
        let measure = Measure::of(&scroller);
        let before = self.scroll_state();
        self.scroll.update(|scroll| scroll.scrolled(measure));
        let now = self.scroll_state();
        if before.keeps_end() && !now.keeps_end() {
            self.seen.set(untrack(|| self.total()));
        }
        let anchor = if now.keeps_end() { None } else { Anchor::of_view(&scroller) };
        let reading = anchor.as_ref().map_or(ReadingPosition::Following, |anchor| anchor.reading(&scroller));
        self.anchor.set_value(anchor);
        if !now.is_returning() {
            self.actions.client.reading_positions.set_reading(&self.session.id(), reading);
        }
        if !now.keeps_end() && measure.top < FETCH_DISTANCE * measure.viewport {
            self.fetch_earlier();
        }
    }

    /// Called before rows are built or removed. A reader who has just left the end is noticed before the view moves.
    pub fn before_change(self) {
        let has_left = |scroller: HtmlElement| self.scroll_state().has_left_end(Measure::of(&scroller));
        if self.element().is_some_and(has_left) {
            self.on_scroll();
        }
        self.note(Scroll::change_begins);
        let settled = move || {
            if self.scroll.try_update_untracked(Scroll::change_settled) == Some(true) {
                self.on_scroll();
            }
        };
        after_frames(SETTLE_FRAMES, Box::new(settled));
    }

    /// Called after layout and before paint when the content or the viewport has changed its size.
    pub fn on_resize(self) {
        let Some(scroller) = self.element() else { return };
        if self.scroll_state().keeps_end() {
            self.scroll_to_end();
            return self.window.fill(&scroller);
        }
        if !self.keep_in_place(&scroller) {
            self.anchor.set_value(Anchor::of_view(&scroller));
        }
    }

    /// Scrolls what the reader looks at back to where it was, if a change above has moved it. Returns false if there is
    /// nothing to keep in place.
    fn keep_in_place(self, scroller: &HtmlElement) -> bool {
        let moved = self.anchor.try_with_value(|anchor| anchor.as_ref()?.moved(scroller)).flatten();
        if let Some(moved) = moved.filter(|moved| *moved != 0) {
            let before = scroller.scroll_top();
            scroller.set_scroll_top(before + moved);
            self.note(|scroll| scroll.shifted(scroller.scroll_top() - before));
            self.anchor.update_value(|anchor| *anchor = anchor.take().map(|anchor| anchor.again(scroller)));
        }
        moved.is_some()
    }

    /// Returns to an earlier reading position, after fetching its row if necessary. Until then the end is shown, and a
    /// user who does something stays there.
    pub fn restore(self, reading: ReadingPosition) {
        let ReadingPosition::At { row, position, block, offset } = reading else { return };
        if !self.scroll_state().is_returning() {
            return;
        }
        self.stay();
        if self.show_position(&row, block, offset) {
            return;
        }
        self.scroll.update(Scroll::wait_for_rows);
        self.scroll_to_end();
        let Some(position) = position else { return };
        let is_wanted = move || self.scroll_state().is_returning();
        let fetched = move |position: Option<usize>| {
            let Some(position) = position.filter(|_| is_wanted()) else { return };
            self.window.want(position);
            // Rows that were fetched for it are built with the next frame.
            request_animation_frame(move || {
                if is_wanted() {
                    self.stay();
                    // After a restart of the server the row may have another id.
                    let current_id = || self.session.row_id_at(position).unwrap_or_default();
                    let _ = self.show_position(&row, block, offset)
                        || self.show_position(&current_id(), block, offset);
                }
            });
        };
        self.actions.fetch_until(self.session, position, Box::new(fetched));
    }

    fn show_position(self, row_id: &str, block: Option<usize>, offset: f64) -> bool {
        let Some(scroller) = self.element() else { return false };
        let Some(row) = find_row(&scroller, row_id) else { return false };
        self.visibility.force_near(&row);
        show_at(&scroller, &row, block, offset);
        let measure = Measure::of(&scroller);
        self.note(|scroll| scroll.placed(measure));
        // There may be less content below than before; images are loaded later.
        let has_images = matches!(scroller.query_selector(".row-images"), Ok(Some(_)));
        if measure.is_at_end() && !has_images {
            self.scroll.update(Scroll::follow);
        } else {
            self.anchor.set_value(Anchor::of_view(&scroller));
        }
        true
    }

    /// Any user action in the session cancels restoring the earlier reading position.
    pub fn cancel_restoring_on_action(self) {
        let acted = move |event: web_sys::Event| {
            let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            if target.is_some_and(|target| matches!(target.closest("main"), Ok(Some(_)))) {
                self.scroll.update(Scroll::user_acted);
            }
        };
        for event in ["pointerdown", "input"] {
            let listener = window_event_listener_untyped(event, acted);
            on_cleanup(move || listener.remove());
        }
    }

    /// Expands a row, scrolls to it and highlights it for a moment.
    fn scroll_to_row(self, scroller: &HtmlElement, row_id: &str) -> Option<Element> {
        let row = find_row(scroller, row_id)?;
        self.actions.client.reading_positions.set_open(&self.session.id(), row_id, true);
        if let Some(handle) = self.session.row(row_id) {
            handle.notify();
        }
        show_at(scroller, &row, None, f64::from(scroller.client_height()) / 4.0);
        remove_highlights();
        let _ = row.set_attribute("data-found", "");
        let highlighted = row.clone();
        set_timeout(move || drop(highlighted.remove_attribute("data-found")), HIGHLIGHT_TIME);
        Some(row)
    }
}

/// Removes the highlight of rows that were shown.
fn remove_highlights() {
    while let Ok(Some(row)) = document().query_selector("[data-found]") {
        let _ = row.remove_attribute("data-found");
    }
}

impl TimelineView for TimelineController {
    fn session_id(&self) -> String {
        self.session.id()
    }

    fn jump_to_end(&self) {
        self.anchor.set_value(None);
        self.scroll.update(Scroll::follow);
        self.scroll_to_end();
    }

    fn show_row(&self, position: usize, first_match: FirstMatch) {
        let timeline = *self;
        timeline.stay();
        timeline.window.want(position);
        // Rows that were fetched or built for it are in place with the next frame.
        request_animation_frame(move || {
            // A scroll to the end that was still pending may have been taken for the reader's.
            timeline.stay();
            let row_id = timeline.session.row_id_at(position);
            let Some(scroller) = timeline.element() else { return };
            let row = row_id.and_then(|row_id| timeline.scroll_to_row(&scroller, &row_id));
            if let Some(row) = &row {
                timeline.hold(row.clone());
            }
            timeline.mark_matches(row.map(|row| (row, first_match)));
        });
    }

    fn step_match(&self, forwards: bool) -> Option<(usize, usize)> {
        self.step_in_row(forwards)
    }

    fn clear_matches(&self) {
        self.remove_marks();
        remove_highlights();
    }
}

/// Calls back when one of the elements changes its size, as long as the component lives; the first call comes with the
/// first layout.
pub fn observe_size(timeline: TimelineController, restore: Option<ReadingPosition>) {
    let restore = Rc::new(Cell::new(restore));
    super::size::observe(timeline.scroller, timeline.content, move || {
        if let Some(reading) = restore.take() {
            timeline.restore(reading);
        }
        timeline.on_resize();
    });
}
