//! The matches of "find in conversation". All matches in built rows are marked; one match in the row that was
//! shown last is the current one.

use leptos::prelude::*;
use pilothouse_highlight_web::COLOURED;
use web_sys::{Element, Range};

use super::controller::TimelineController;
use crate::actions::timeline::FirstMatch;
use crate::browser::highlight_ranges;
use crate::reactive::effect;

/// The highlight names in the style sheet: for all matches, and for the current one.
const FOUND: &str = "found";
const CURRENT: &str = "here";

/// The matches in the row that was shown last.
pub struct Matches {
    row: Element,
    ranges: Vec<Range>,
    current: usize,
}

impl TimelineController {
    /// Keeps the marks up to date: highlights refer to text nodes, which are replaced when rows are built and
    /// when code is coloured.
    pub fn follow_find(self) {
        let finding = self.actions.client.finding;
        effect(move || {
            if finding.with(Option::is_none) {
                self.remove_marks();
            }
        });
        let update = move || {
            if finding.with_untracked(Option::is_some) {
                self.mark_matches(None);
            }
        };
        effect(move || {
            self.visibility.built.track();
            update();
        });
        let coloured = window_event_listener_untyped(COLOURED, move |_| update());
        on_cleanup(move || {
            coloured.remove();
            self.remove_marks();
        });
    }

    pub(super) fn remove_marks(self) {
        self.matches.set_value(None);
        if let Some(root) = self.marked.try_update_value(Option::take).flatten() {
            highlight_ranges::clear(&[FOUND, CURRENT], &root);
        }
    }

    /// Marks all matches of what the user is looking for. `shown` is a row that was just scrolled to.
    pub(super) fn mark_matches(self, shown: Option<(Element, FirstMatch)>) {
        // Expanding the row builds its details a moment later.
        request_animation_frame(move || {
            let finding = self.actions.client.finding.try_get_untracked().flatten();
            let (Some(query), Some(scroller)) = (finding, self.element()) else { return };
            // Scrolling to the row may have moved its other end out of the view.
            shown.iter().for_each(|(row, _)| self.visibility.force_near(row));
            let marked = highlight_ranges::highlight_all(FOUND, &scroller, &query);
            self.marked.set_value(Some(scroller.into()));
            let in_row = |row: &Element| {
                let starts_in =
                    |range: &&Range| range.start_container().is_ok_and(|node| row.contains(Some(&node)));
                marked.iter().filter(starts_in).cloned().collect::<Vec<Range>>()
            };
            match shown {
                Some((row, first_match)) => {
                    let ranges = in_row(&row);
                    let current = match first_match {
                        FirstMatch::Topmost => 0,
                        FirstMatch::Lowest => ranges.len().saturating_sub(1),
                    };
                    self.actions.client.hit.set((current, ranges.len()));
                    self.matches.set_value(Some(Matches { row, ranges, current }));
                    self.show_current_match();
                }
                None => self.matches.update_value(|matches| {
                    if let Some(matches) = matches {
                        matches.ranges = in_row(&matches.row);
                        matches.mark_current();
                    }
                }),
            }
        });
    }

    /// Moves to the next match in the row, if it has one.
    pub(super) fn step_in_row(self, forwards: bool) -> Option<(usize, usize)> {
        let step = |matches: &mut Option<Matches>| {
            let matches = matches.as_mut()?;
            let next = if forwards { matches.current + 1 } else { matches.current.checked_sub(1)? };
            matches.ranges.get(next)?;
            matches.current = next;
            Some((next, matches.ranges.len()))
        };
        let step = self.matches.try_update_value(step).flatten();
        if step.is_some() {
            self.show_current_match();
        }
        step
    }

    /// Marks the current match and scrolls it into view.
    fn show_current_match(self) {
        let current = self.matches.with_value(|matches| {
            let matches = matches.as_ref()?;
            matches.mark_current();
            Some((matches.row.clone(), matches.ranges.get(matches.current)?.clone()))
        });
        let (Some((row, range)), Some(scroller)) = (current, self.element()) else { return };
        let (view, range) = (scroller.get_bounding_client_rect(), range.get_bounding_client_rect());
        if range.top() < view.top() || range.bottom() > view.bottom() {
            let by = range.top() - view.top() - view.height() / 4.0;
            scroller.set_scroll_top(scroller.scroll_top() + by.round() as i32);
            self.hold(row);
        }
    }
}

impl Matches {
    fn mark_current(&self) {
        if let Some(range) = self.ranges.get(self.current) {
            highlight_ranges::highlight_one(CURRENT, range);
        }
    }
}
