//! Whether the timeline follows its end. Measures come in, decisions go out.

use web_sys::Element;

/// This close to the end counts as being there.
const NEAR: i32 = 24;

/// What a scrolled element measures, in pixels.
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

    pub const fn to_end(self) -> i32 {
        self.content - self.viewport - self.top
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Follow {
    following: bool,
    last_top: i32,
    last_viewport: i32,
    last_content: i32,
}

impl Default for Follow {
    fn default() -> Self {
        Self { following: true, last_top: 0, last_viewport: 0, last_content: 0 }
    }
}

impl Follow {
    /// The position may have changed. Going up, however little, is the reader's wish to stay; reaching the end, to
    /// follow. In a view that has another size than before, as when a phone is turned, the browser has moved it.
    pub const fn scrolled(&mut self, measure: Measure) {
        self.last_content = measure.content;
        if self.is_at(measure) && measure.viewport == self.last_viewport {
            return;
        }
        let (upwards, downwards) = (
            measure.top < self.last_top && measure.viewport == self.last_viewport,
            measure.top > self.last_top,
        );
        self.last_top = measure.top;
        self.last_viewport = measure.viewport;
        if measure.to_end() <= 2 {
            self.following = true;
        } else if upwards {
            self.following = false;
        } else if downwards && measure.to_end() <= NEAR {
            self.following = true;
        }
    }

    /// It was moved here, which the browser tells later: the reader may have gone on by then.
    pub const fn stands(&mut self, measure: Measure) {
        self.last_top = measure.top;
        self.last_viewport = measure.viewport;
        self.last_content = measure.content;
    }

    /// What was built above has moved it by so much, and nobody went anywhere.
    pub const fn shifted(&mut self, by: i32) {
        self.last_top += by;
    }

    /// Nobody has gone anywhere since it was looked at last.
    pub const fn is_at(self, measure: Measure) -> bool {
        measure.top == self.last_top
    }

    /// The reader has gone up from the end. Where less stands there now, the browser may have moved it.
    pub const fn is_left(self, measure: Measure) -> bool {
        self.following
            && measure.top < self.last_top
            && measure.viewport == self.last_viewport
            && measure.content >= self.last_content
    }

    pub const fn is_following(self) -> bool {
        self.following
    }

    pub const fn set(&mut self, following: bool) {
        self.following = following;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(top: i32) -> Measure {
        Measure { top, content: 2000, viewport: 500 }
    }

    #[test]
    fn a_small_step_up_stops_following_and_the_end_starts_it_again() {
        let mut follow = Follow::default();
        follow.scrolled(at(1500));
        assert!(follow.is_following());
        follow.scrolled(at(1490));
        assert!(!follow.is_following());
        follow.scrolled(at(1495));
        assert!(follow.is_following());
    }

    #[test]
    fn what_the_browser_moves_because_less_stands_there_is_not_the_readers_going() {
        let mut follow = Follow::default();
        follow.stands(at(1500));
        assert!(follow.is_left(at(1400)));
        assert!(follow.is_left(Measure { content: 2100, ..at(1400) }));
        assert!(!follow.is_left(Measure { content: 1900, ..at(1400) }));
        assert!(!follow.is_left(Measure { viewport: 600, ..at(1400) }));
        assert!(!follow.is_left(at(1500)));
    }

    #[test]
    fn a_small_step_up_that_is_told_twice_stays_one() {
        let mut follow = Follow::default();
        follow.stands(at(1500));
        follow.scrolled(at(1490));
        follow.scrolled(at(1490));
        assert!(!follow.is_following());
        // What the page has shown itself, and what is built above, is no step down.
        follow.stands(at(1480));
        follow.scrolled(at(1480));
        assert!(!follow.is_following());
        follow.shifted(300);
        follow.scrolled(Measure { top: 1780, content: 2300, viewport: 500 });
        assert!(!follow.is_following());
        follow.scrolled(Measure { top: 1785, content: 2300, viewport: 500 });
        assert!(follow.is_following());
    }

    #[test]
    fn who_goes_up_before_the_browser_has_told_of_the_end_has_left_it() {
        let mut follow = Follow::default();
        follow.stands(at(1500));
        assert!(!follow.is_left(at(1500)));
        assert!(follow.is_left(at(1440)));
        follow.scrolled(at(1440));
        assert!(!follow.is_following());
        assert!(!follow.is_left(at(1400)), "that is known");
    }

    #[test]
    fn content_that_grows_below_does_not_stop_following() {
        let mut follow = Follow::default();
        follow.scrolled(at(1500));
        follow.scrolled(Measure { top: 1500, content: 2600, viewport: 500 });
        assert!(follow.is_following());
    }

    #[test]
    fn a_view_of_another_size_is_not_left_by_the_reader() {
        let mut follow = Follow::default();
        follow.scrolled(at(1500));
        follow.scrolled(Measure { top: 1400, content: 4000, viewport: 700 });
        assert!(follow.is_following());
        follow.scrolled(Measure { top: 1300, content: 4000, viewport: 700 });
        assert!(!follow.is_following());
    }

    #[test]
    fn content_that_shrinks_keeps_the_reader_at_the_end() {
        let mut follow = Follow::default();
        follow.scrolled(at(1500));
        follow.scrolled(Measure { top: 1300, content: 1800, viewport: 500 });
        assert!(follow.is_following());
    }
}
