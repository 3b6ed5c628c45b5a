//! The state machine that decides what the view of the conversation shows: the end, the rows that the reader
//! has scrolled to, or an earlier reading position once it is loaded. Pure: measurements in, decisions out.

use web_sys::Element;

/// Scrolling down to within this many pixels of the end counts as reaching it.
const NEAR_END: i32 = 24;

/// The tolerance for rounding errors, in pixels.
const TOLERANCE: i32 = 2;

/// The scroll position and sizes of the timeline, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measure {
    pub top: i32,
    pub content: i32,
    pub viewport: i32,
}

impl Measure {
    pub fn of(scroller: &Element) -> Self {
        Self {
            top: scroller.scroll_top(),
            content: scroller.scroll_height(),
            viewport: scroller.client_height(),
        }
    }

    /// The distance to the end.
    pub const fn to_end(self) -> i32 {
        self.content - self.viewport - self.top
    }

    pub const fn is_at_end(self) -> bool {
        self.to_end() <= TOLERANCE
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScrollState {
    /// The view stays at the end of the conversation.
    Following,
    /// Following, but rows were built or removed within the last frames, so the browser may have scrolled the
    /// view.
    Settling,
    /// The visible rows stay in place.
    Reading,
    /// The end is shown until the rows of an earlier reading position are loaded.
    Returning,
}

/// The state machine of the timeline's scrolling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scroll {
    state: ScrollState,
    /// The last known measurement.
    last: Measure,
    /// The number of changes that are not laid out yet.
    unsettled: usize,
    /// A scroll event arrived while settling and has to be examined afterwards.
    postponed: bool,
}

impl Scroll {
    pub const fn following() -> Self {
        Self {
            state: ScrollState::Following,
            last: Measure { top: 0, content: 0, viewport: 0 },
            unsettled: 0,
            postponed: false,
        }
    }

    /// The initial state for an earlier reading position to restore.
    pub const fn returning() -> Self {
        Self { state: ScrollState::Returning, ..Self::following() }
    }

    #[cfg(test)]
    const fn state(self) -> ScrollState {
        self.state
    }

    /// Whether the view is kept at the end.
    pub const fn keeps_end(self) -> bool {
        !matches!(self.state, ScrollState::Reading)
    }

    pub const fn is_returning(self) -> bool {
        matches!(self.state, ScrollState::Returning)
    }

    /// Follows the end from now on.
    pub const fn follow(&mut self) {
        self.state = if self.unsettled > 0 { ScrollState::Settling } else { ScrollState::Following };
    }

    /// Keeps the visible rows in place from now on.
    pub const fn read(&mut self) {
        self.state = ScrollState::Reading;
    }

    /// The rows of the earlier reading position are being loaded.
    pub const fn wait_for_rows(&mut self) {
        self.state = ScrollState::Returning;
    }

    /// A user action cancels restoring the earlier reading position.
    pub const fn user_acted(&mut self) {
        if self.is_returning() {
            self.follow();
        }
    }

    /// The page has scrolled the view to this position.
    pub const fn placed(&mut self, measure: Measure) {
        self.last = measure;
    }

    /// The page has scrolled the view by this distance, to compensate for a change above it.
    pub const fn shifted(&mut self, by: i32) {
        self.last.top += by;
    }

    /// Rows are about to be built or removed.
    pub const fn change_begins(&mut self) {
        self.unsettled += 1;
        if matches!(self.state, ScrollState::Following) {
            self.state = ScrollState::Settling;
        }
    }

    /// A change is laid out. Returns whether a postponed scroll event has to be examined now.
    pub const fn change_settled(&mut self) -> bool {
        self.unsettled = self.unsettled.saturating_sub(1);
        if self.unsettled > 0 {
            return false;
        }
        if matches!(self.state, ScrollState::Settling) {
            self.state = ScrollState::Following;
        }
        let postponed = self.postponed;
        self.postponed = false;
        postponed
    }

    /// Whether a scroll event must be examined only after the pending changes: if rows are lower than
    /// estimated, the browser moves the view up, not the reader.
    pub const fn postpone(&mut self, measure: Measure) -> bool {
        let postponed = self.unsettled > 0 && self.keeps_end() && !self.has_left_end(measure);
        self.postponed |= postponed;
        postponed
    }

    /// Whether the reader has scrolled up from the end. False if there is less content than before, because
    /// then the browser may have moved the view.
    pub const fn has_left_end(self, measure: Measure) -> bool {
        self.keeps_end()
            && measure.top < self.last.top
            && measure.viewport == self.last.viewport
            && measure.content >= self.last.content
    }

    /// Handles a scroll: any scrolling up starts reading, and reaching the end starts following. If the size
    /// of the viewport has changed, such as by turning a phone, the browser has moved the view, so scrolling
    /// up does not count.
    pub const fn scrolled(&mut self, measure: Measure) {
        let before = self.last;
        let has_moved = measure.top != before.top;
        self.last.content = measure.content;
        if self.is_returning() && has_moved && !measure.is_at_end() {
            self.follow();
        }
        if !has_moved && measure.viewport == before.viewport {
            return;
        }
        self.last = measure;
        let upwards = measure.top < before.top && measure.viewport == before.viewport;
        let downwards = measure.top > before.top;
        if measure.is_at_end() {
            if !self.is_returning() {
                self.follow();
            }
        } else if upwards {
            self.read();
        } else if downwards && measure.to_end() <= NEAR_END {
            self.follow();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(top: i32) -> Measure {
        Measure { top, content: 2000, viewport: 500 }
    }

    fn following_at(top: i32) -> Scroll {
        let mut scroll = Scroll::following();
        scroll.placed(at(top));
        scroll
    }

    #[test]
    fn a_small_step_up_starts_reading_and_the_end_starts_following() {
        let mut scroll = following_at(1500);
        scroll.scrolled(at(1490));
        assert_eq!(scroll.state(), ScrollState::Reading);
        scroll.scrolled(at(1495));
        assert_eq!(scroll.state(), ScrollState::Following);
    }

    #[test]
    fn a_step_up_that_is_reported_twice_is_one_step() {
        let mut scroll = following_at(1500);
        scroll.scrolled(at(1490));
        scroll.scrolled(at(1490));
        assert_eq!(scroll.state(), ScrollState::Reading);
    }

    #[test]
    fn scrolling_by_the_page_is_not_a_step_down() {
        let mut scroll = following_at(1500);
        scroll.read();
        scroll.placed(at(1480));
        scroll.scrolled(at(1480));
        assert_eq!(scroll.state(), ScrollState::Reading);
        scroll.shifted(300);
        scroll.scrolled(Measure { top: 1780, content: 2300, viewport: 500 });
        assert_eq!(scroll.state(), ScrollState::Reading);
        scroll.scrolled(Measure { top: 1785, content: 2300, viewport: 500 });
        assert_eq!(scroll.state(), ScrollState::Following);
    }

    #[test]
    fn a_view_that_the_browser_moves_because_there_is_less_content_has_not_left_the_end() {
        let scroll = following_at(1500);
        assert!(scroll.has_left_end(at(1400)));
        assert!(scroll.has_left_end(Measure { content: 2100, ..at(1400) }));
        assert!(!scroll.has_left_end(Measure { content: 1900, ..at(1400) }));
        assert!(!scroll.has_left_end(Measure { viewport: 600, ..at(1400) }));
        assert!(!scroll.has_left_end(at(1500)));
    }

    #[test]
    fn content_that_grows_below_does_not_stop_following() {
        let mut scroll = following_at(1500);
        scroll.scrolled(Measure { content: 2600, ..at(1500) });
        assert_eq!(scroll.state(), ScrollState::Following);
    }

    #[test]
    fn content_that_shrinks_keeps_following() {
        let mut scroll = following_at(1500);
        scroll.scrolled(Measure { top: 1300, content: 1800, viewport: 500 });
        assert_eq!(scroll.state(), ScrollState::Following);
    }

    #[test]
    fn a_viewport_of_another_size_does_not_stop_following() {
        let mut scroll = following_at(1500);
        scroll.scrolled(Measure { top: 1400, content: 4000, viewport: 700 });
        assert_eq!(scroll.state(), ScrollState::Following);
        scroll.scrolled(Measure { top: 1300, content: 4000, viewport: 700 });
        assert_eq!(scroll.state(), ScrollState::Reading);
    }

    #[test]
    fn while_settling_only_a_step_up_of_the_reader_counts() {
        let mut scroll = following_at(1500);
        scroll.change_begins();
        assert_eq!(scroll.state(), ScrollState::Settling);
        assert!(scroll.postpone(Measure { top: 1300, content: 1700, viewport: 500 }));
        assert!(!scroll.postpone(at(1400)), "a step up is examined at once");
        assert!(scroll.change_settled(), "the postponed event is examined now");
        assert_eq!(scroll.state(), ScrollState::Following);
        assert!(!scroll.change_settled(), "once");
    }

    #[test]
    fn several_changes_settle_together() {
        let mut scroll = following_at(1500);
        scroll.change_begins();
        scroll.change_begins();
        assert!(scroll.postpone(at(1500)));
        assert!(!scroll.change_settled());
        assert_eq!(scroll.state(), ScrollState::Settling);
        assert!(scroll.change_settled());
    }

    #[test]
    fn changes_while_reading_postpone_nothing() {
        let mut scroll = following_at(1500);
        scroll.scrolled(at(1000));
        scroll.change_begins();
        assert_eq!(scroll.state(), ScrollState::Reading);
        assert!(!scroll.postpone(at(900)));
        scroll.scrolled(Measure { top: 1500, ..at(1500) });
        assert_eq!(
            scroll.state(),
            ScrollState::Settling,
            "the end was reached before the change was laid out"
        );
    }

    #[test]
    fn returning_ends_when_the_reader_scrolls_away_or_acts() {
        let mut scroll = Scroll::returning();
        scroll.placed(at(1500));
        assert!(scroll.keeps_end());
        scroll.scrolled(Measure { top: 1600, content: 2100, viewport: 500 });
        assert!(scroll.is_returning(), "the end has moved, the reader has not");
        scroll.placed(at(1500));
        scroll.scrolled(at(1200));
        assert_eq!(scroll.state(), ScrollState::Reading);

        let mut scroll = Scroll::returning();
        scroll.user_acted();
        assert_eq!(scroll.state(), ScrollState::Following);
        scroll.read();
        scroll.user_acted();
        assert_eq!(scroll.state(), ScrollState::Reading, "only returning is cancelled");
    }
}
