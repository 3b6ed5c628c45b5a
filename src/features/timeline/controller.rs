//! Connects the scrolling state machine with the timeline's elements: measures, scrolls, keeps the anchor in
//! place, and restores reading positions.

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

/// Older rows are fetched when the first loaded row is this close to the view, in viewport heights.
const FETCH_DISTANCE: i32 = 2;

/// The number of frames after which a change is laid out and compensated for.
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
    /// The scrolling element while there may be marks in it.
    pub(super) marked: StoredValue<Option<Element>, LocalStorage>,
    /// The row or block to keep in place while not following.
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
            marked: StoredValue::new_local(None),
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

    /// Keeps the view where it is, and no longer restores an earlier position.
    pub(super) fn stay(self) {
        self.scroll.update(Scroll::read);
        self.seen.set(untrack(|| self.total()));
    }

    /// Makes this row the anchor, which stays in place from now on.
    pub(super) fn hold(self, row: Element) {
        if let Some(scroller) = self.element() {
            self.anchor.set_value(Some(Anchor::of(row, &scroller)));
            self.note(|scroll| scroll.placed(Measure::of(&scroller)));
        }
    }

    pub fn fetch_earlier(self) {
        if !self.fetching.get_untracked() && self.session.earlier.get_untracked() > 0 {
            self.fetching.set(true);
            self.actions.load_earlier_rows(self.session, move || _ = self.fetching.try_set(false));
        }
    }

    /// Handles a scroll event.
    pub fn on_scroll(self) {
        let Some(scroller) = self.element() else { return };
        let measure = Measure::of(&scroller);
        if self.scroll.try_update_untracked(|scroll| scroll.postpone(measure)) != Some(false) {
            return;
        }
        // Compensate for changes above before the anchor moves to another row.
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
            self.actions.client.reading_positions.set_reading(&self.session.key(), reading);
        }
        if !now.keeps_end() && measure.top < FETCH_DISTANCE * measure.viewport {
            self.fetch_earlier();
        }
    }

    /// Called before rows are built or removed. Handles a scroll away from the end first, because the change
    /// may move the view too.
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

    /// Scrolls the anchor back to where it was if a change above has moved it. Returns false if there is no
    /// anchor.
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

    /// Restores an earlier reading position. If its row must be loaded first, the end is shown until then,
    /// and any user action cancels restoring.
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
        let show = move |is_loaded: bool| {
            if !is_loaded || !is_wanted() {
                return;
            }
            self.window.want(position);
            // The loaded rows are built in the next frame.
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
        self.actions.load_rows_back_to(self.session, position, Box::new(show));
    }

    fn show_position(self, row_id: &str, block: Option<usize>, offset: f64) -> bool {
        let Some(scroller) = self.element() else { return false };
        let Some(row) = find_row(&scroller, row_id) else { return false };
        self.visibility.force_near(&row);
        show_at(&scroller, &row, block, offset);
        let measure = Measure::of(&scroller);
        self.note(|scroll| scroll.placed(measure));
        // There may be less content below than before. With images the end is not known until they are
        // loaded.
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
        self.actions.client.reading_positions.expanded.expand(&self.session.key(), row_id);
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
    fn session_key(&self) -> String {
        self.session.key()
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
        // The fetched rows are built in the next frame.
        request_animation_frame(move || {
            // The event of an earlier scroll to the end may have switched back to following.
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

/// Handles size changes of the view and its content as long as the component lives. The first layout restores
/// the reading position.
pub fn observe_size(timeline: TimelineController, restore: Option<ReadingPosition>) {
    let restore = Rc::new(Cell::new(restore));
    super::size::observe(timeline.scroller, timeline.content, move || {
        if let Some(reading) = restore.take() {
            timeline.restore(reading);
        }
        timeline.on_resize();
    });
}
