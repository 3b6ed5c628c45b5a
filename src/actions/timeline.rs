//! The handle to the timeline on the screen, through which find, links, search and keyboard shortcuts control
//! it.

use std::rc::Rc;

use leptos::prelude::*;

/// The match to mark first in a row that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstMatch {
    Topmost,
    #[default]
    Lowest,
}

/// The timeline's interface for other parts of the page.
pub trait TimelineView {
    /// Identifies the session, or the branch of it.
    fn session_key(&self) -> String;
    fn jump_to_end(&self);
    /// Scrolls to a loaded row, expands it and highlights it for a moment.
    fn show_row(&self, position: usize, first_match: FirstMatch);
    /// Moves to the next match in the row that was shown last. Returns its index and the number of matches,
    /// or `None` if there is no further match in that row.
    fn step_match(&self, forwards: bool) -> Option<(usize, usize)>;
    /// Removes the marks of all matches.
    fn clear_matches(&self);
}

/// The mounted timeline, if there is one.
#[derive(Clone, Copy)]
pub struct TimelineHandle(StoredValue<Option<Rc<dyn TimelineView>>, LocalStorage>);

impl Default for TimelineHandle {
    fn default() -> Self {
        Self(StoredValue::new_local(None))
    }
}

impl TimelineHandle {
    /// Registers the timeline of the current component until the component is unmounted.
    pub fn register(self, timeline: Rc<dyn TimelineView>) {
        self.0.set_value(Some(timeline.clone()));
        let timeline = StoredValue::new_local(timeline);
        on_cleanup(move || {
            // The timeline of the next session may be registered already.
            let is_registered = |registered: &Option<Rc<dyn TimelineView>>| {
                timeline.with_value(|own| registered.as_ref().is_some_and(|other| Rc::ptr_eq(own, other)))
            };
            if self.0.try_with_value(is_registered) == Some(true) {
                self.0.set_value(None);
            }
        });
    }

    pub fn jump_to_end(self) {
        self.with(|timeline| timeline.jump_to_end());
    }

    pub fn step_match(self, forwards: bool) -> Option<(usize, usize)> {
        self.with(|timeline| timeline.step_match(forwards)).flatten()
    }

    pub fn clear_matches(self) {
        self.with(|timeline| timeline.clear_matches());
    }

    /// Shows a row if the timeline is that of this session.
    pub(super) fn show_row(self, session_key: &str, position: usize, first_match: FirstMatch) {
        self.with(|timeline| {
            if timeline.session_key() == session_key {
                timeline.show_row(position, first_match);
            }
        });
    }

    fn with<T>(self, run: impl FnOnce(&dyn TimelineView) -> T) -> Option<T> {
        // Cloned, because the timeline may be replaced while it runs.
        let timeline = self.0.try_get_value().flatten()?;
        Some(run(timeline.as_ref()))
    }
}
