//! Decides which rows of a long conversation are built. Rows are grouped into chunks by their position in the
//! whole conversation. A chunk far from the view is an empty box with its last height. The newest chunks are
//! always built; most conversations have no others.

use std::collections::HashMap;
use std::ops::Range;

use leptos::prelude::*;
use pilothouse_core::{Kind, UiMessage};
use web_sys::Element;

use crate::browser;
use crate::dom::visibility::{Visibility, WatchGuard};
use crate::reactive::memo;
use crate::store::server::{Row, Session};

/// The number of rows in a chunk.
const ROWS: usize = 8;

/// The number of chunks at the end that are always built.
const NEWEST: usize = 4;

/// The minimum height in pixels of everything above and below the conversation.
const AROUND: f64 = 140.0;

/// The estimated height in pixels of a row that was never built. Building it corrects the height without
/// moving the view.
const GUESS: f64 = 56.0;

#[derive(Clone, Copy)]
pub struct Window {
    pub near: Visibility,
    session: Session,
    heights: StoredValue<HashMap<usize, f64>>,
    /// The number of newest chunks that are built so far.
    newest: RwSignal<usize>,
    /// The position of the first row that is built in them.
    first: RwSignal<usize>,
    /// The chunk of a row to scroll to, which is built wherever the view is.
    wanted: RwSignal<Option<usize>>,
    /// The numbers of the first and the last chunk.
    numbers: Memo<(usize, usize)>,
}

impl Window {
    pub fn new(session: Session, near: Visibility) -> Self {
        let numbers = memo(move || {
            session.rows.with(|rows| {
                let first = rows.first().map_or(0, Row::position);
                (chunk_of(first), chunk_of(first + rows.len().max(1) - 1))
            })
        });
        let (newest, first) = seen_at_first(session);
        let window = Self {
            near,
            session,
            heights: StoredValue::default(),
            newest: RwSignal::new(newest),
            first: RwSignal::new(first),
            wanted: RwSignal::new(None),
            numbers,
        };
        // The visible rows are painted before more are built.
        request_animation_frame(move || window.build_more());
        window
    }

    /// The numbers of all chunks, oldest first.
    pub fn chunks(&self) -> Vec<usize> {
        let (first, last) = self.numbers.get();
        if self.session.rows.with(Vec::is_empty) { Vec::new() } else { (first..=last).collect() }
    }

    /// The rows to build in a chunk. In the first frame these are only the visible ones, later all.
    pub fn rows(&self, number: usize, near: RwSignal<bool>) -> Vec<Row> {
        let first = if self.is_sought(number, near) { 0 } else { self.first.get() };
        self.session.rows.with(|rows| rows[self.range(number, first, rows)].to_vec())
    }

    fn range(&self, number: usize, first: usize, rows: &[Row]) -> Range<usize> {
        let held = rows.first().map_or(0, Row::position);
        let index = |position: usize| position.max(first).saturating_sub(held).min(rows.len());
        index(number * ROWS)..index((number + 1) * ROWS)
    }

    pub fn is_built(&self, number: usize, near: RwSignal<bool>) -> Memo<bool> {
        let window = *self;
        memo(move || {
            let newest = number + window.newest.get() > window.numbers.get().1;
            newest || window.is_sought(number, near)
        })
    }

    fn is_sought(&self, number: usize, near: RwSignal<bool>) -> bool {
        near.get() || self.wanted.get() == Some(number)
    }

    /// Builds the chunk of the row at this position, wherever the view is.
    pub fn want(&self, position: usize) {
        self.wanted.set(Some(chunk_of(position)));
    }

    /// The last or estimated height of a chunk that is not built.
    pub fn height(&self, number: usize) -> f64 {
        let known = self.heights.with_value(|heights| heights.get(&number).copied());
        known.unwrap_or_else(|| {
            self.session.rows.with_untracked(|rows| self.range(number, 0, rows).len()) as f64 * GUESS
        })
    }

    /// Updates `near` whenever the chunk comes near the view or leaves.
    pub fn watch(self, number: usize, element: &Element, near: RwSignal<bool>) -> WatchGuard {
        let chunk = element.clone();
        self.near.watch(element, move |is_near| {
            if !is_near && chunk.child_element_count() > 0 {
                self.keep_height(number, &chunk);
            }
            if near.try_get_untracked().is_some_and(|before| before != is_near) {
                near.set(is_near);
            }
        })
    }

    fn keep_height(&self, number: usize, chunk: &Element) {
        // Measured up to the next chunk, to include the space between them.
        let top = |element: &Element| element.get_bounding_client_rect().top();
        let height = chunk.next_element_sibling().map(|next| top(&next) - top(chunk));
        self.heights.update_value(|heights| heights.extend(height.map(|height| (number, height))));
    }

    /// Builds the remaining newest chunks at once if the built rows do not fill the view.
    pub fn fill(&self, scroller: &Element) {
        if self.first.get_untracked() == 0 {
            return;
        }
        let top = |element: &Element| element.get_bounding_client_rect().top();
        let row = scroller.query_selector("[data-message-id]").ok().flatten();
        if row.is_some_and(|row| top(&row) > top(scroller)) {
            self.first.set(0);
            self.newest.set(NEWEST);
        }
    }

    /// Completes the newest chunks, one step per animation frame: first the rows that were left out, then one
    /// chunk each.
    fn build_more(self) {
        request_animation_frame(move || {
            let Some(newest) = self.newest.try_get_untracked() else { return };
            if self.first.get_untracked() > 0 {
                self.first.set(0);
            } else if newest < NEWEST {
                self.newest.set(newest + 1);
            } else {
                return;
            }
            self.build_more();
        });
    }
}

/// Estimates how many of the newest chunks fill the view, and the position of the first visible row. If the
/// rows turn out lower than estimated, `fill` builds more.
fn seen_at_first(session: Session) -> (usize, usize) {
    session.rows.with_untracked(|rows| {
        let (view, mut height) = (browser::view_height() - AROUND, 0.0);
        let seen = rows.iter().rev().take_while(|row| {
            let fits = height < view;
            height += session.read_untracked(row, guessed_height);
            fits
        });
        let position = |index: usize| rows.get(index).map_or(0, Row::position);
        let first = position(rows.len() - seen.count());
        let chunks = chunk_of(position(rows.len().saturating_sub(1))) - chunk_of(first) + 1;
        (chunks.min(NEWEST), first)
    })
}

fn guessed_height(message: &UiMessage) -> f64 {
    const LINE: usize = 24;
    const LETTERS: usize = 100;
    let lines = |text: &str| text.lines().map(|line| line.len().div_ceil(LETTERS)).sum::<usize>();
    let height = match message.kind {
        Kind::Tool | Kind::Thinking | Kind::Bash => LINE,
        _ => LINE + lines(&message.text) * LINE,
    };
    height as f64
}

const fn chunk_of(position: usize) -> usize {
    position / ROWS
}
