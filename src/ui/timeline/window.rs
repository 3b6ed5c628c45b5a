//! Which part of a long conversation is built. Rows stand in chunks, by their place in the whole conversation; one that
//! is far from the view is an empty box of the height it had. The newest are always built: most conversations have no
//! others.

use std::collections::HashMap;

use leptos::html;
use leptos::prelude::*;
use pilothouse_core::{Kind, UiMessage};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

use crate::browser;
use crate::state::server::{Row, Session};
use crate::ui::dynamic::{effect, memo};

/// Rows of one chunk.
const ROWS: usize = 8;

/// So many of the newest chunks are always built.
const NEWEST: usize = 4;

/// How far around the view is built, in heights of it.
const MARGIN: &str = "100% 0px";

/// The height of a row that was never built, in pixels: a guess that is put right without a jump.
const GUESS: f64 = 56.0;

type Near = Closure<dyn FnMut(js_sys::Array)>;

#[derive(Clone, Copy)]
pub struct Window {
    session: Session,
    /// Whether a chunk is near the view.
    near: StoredValue<HashMap<usize, RwSignal<bool>>>,
    heights: StoredValue<HashMap<usize, f64>>,
    observer: StoredValue<Option<(IntersectionObserver, Near)>, LocalStorage>,
    watching: RwSignal<bool>,
    /// How many of the newest chunks are built by now.
    newest: RwSignal<usize>,
    /// The chunk of a row that somebody wants to go to.
    wanted: RwSignal<Option<usize>>,
    numbers: Memo<(usize, usize)>,
}

impl Window {
    pub fn new(session: Session, scroller: NodeRef<html::Div>) -> Self {
        let numbers = memo(move || {
            session.rows.with(|rows| {
                let first = rows.first().map_or(0, Row::position);
                (chunk_of(first), chunk_of(first + rows.len().max(1) - 1))
            })
        });
        let window = Self {
            session,
            near: StoredValue::default(),
            heights: StoredValue::default(),
            observer: StoredValue::new_local(None),
            watching: RwSignal::new(false),
            newest: RwSignal::new(chunks_in_view(session)),
            wanted: RwSignal::new(None),
            numbers,
        };
        effect(move || {
            if let Some(scroller) = scroller.get() {
                window.watch(&scroller);
            }
        });
        // What fills the view is painted first.
        request_animation_frame(move || window.build_more());
        on_cleanup(move || {
            if let Some((observer, _closure)) = window.observer.try_update_value(Option::take).flatten() {
                observer.disconnect();
            }
        });
        window
    }

    /// The chunks there are, oldest first.
    pub fn chunks(&self) -> Vec<usize> {
        let (first, last) = self.numbers.get();
        if self.session.rows.with(Vec::is_empty) { Vec::new() } else { (first..=last).collect() }
    }

    pub fn rows(&self, number: usize) -> Vec<Row> {
        self.session.rows.with(|rows| {
            let first = rows.first().map_or(0, Row::position);
            let index = |position: usize| position.saturating_sub(first).min(rows.len());
            rows[index(number * ROWS)..index((number + 1) * ROWS)].to_vec()
        })
    }

    pub fn is_built(&self, number: usize) -> Memo<bool> {
        let window = *self;
        let near = self.near(number);
        memo(move || {
            let newest = number + window.newest.get() > window.numbers.get().1;
            newest || near.get() || window.wanted.get() == Some(number)
        })
    }

    /// Builds the chunk of a row, wherever the view is.
    pub fn want(&self, position: usize) {
        self.wanted.set(Some(chunk_of(position)));
    }

    /// The height a chunk has when it is not built.
    pub fn height(&self, number: usize) -> f64 {
        let known = self.heights.with_value(|heights| heights.get(&number).copied());
        known.unwrap_or_else(|| {
            let rows = untrack(|| self.rows(number).len());
            rows as f64 * GUESS
        })
    }

    /// Tells from now on when this element comes near the view and when it leaves it.
    pub fn follow(&self, element: &Element) {
        self.watching.track();
        self.observer.with_value(|observer| {
            if let Some((observer, _)) = observer {
                observer.observe(element);
            }
        });
    }

    pub fn leave(&self, number: usize, element: Option<&Element>) {
        self.near.try_update_value(|near| near.remove(&number));
        self.observer.try_with_value(|observer| {
            if let (Some((observer, _)), Some(element)) = (observer, element) {
                observer.unobserve(element);
            }
        });
    }

    fn near(&self, number: usize) -> RwSignal<bool> {
        let signal = RwSignal::new(false);
        self.near.update_value(|near| _ = near.insert(number, signal));
        signal
    }

    /// One of the newest chunks more with every frame.
    fn build_more(self) {
        request_animation_frame(move || {
            let newest = self.newest.try_get_untracked().filter(|newest| *newest < NEWEST);
            if let Some(newest) = newest {
                self.newest.set(newest + 1);
                self.build_more();
            }
        });
    }

    fn watch(&self, scroller: &Element) {
        let window = *self;
        let callback = Near::new(move |entries: js_sys::Array| {
            for entry in entries.iter() {
                window.moved(&entry.unchecked_into());
            }
        });
        let options = IntersectionObserverInit::new();
        options.set_root(Some(scroller));
        options.set_root_margin(MARGIN);
        let observer = IntersectionObserver::new_with_options(callback.as_ref().unchecked_ref(), &options);
        if let Ok(observer) = observer {
            self.observer.set_value(Some((observer, callback)));
            self.watching.set(true);
        }
    }

    fn moved(&self, entry: &IntersectionObserverEntry) {
        let element = entry.target();
        let number = element.get_attribute("data-chunk").and_then(|number| number.parse::<usize>().ok());
        let Some(number) = number else { return };
        let near = self.near.with_value(|near| near.get(&number).copied());
        let Some(near) = near else { return };
        if !entry.is_intersecting() && element.child_element_count() > 0 {
            // Up to the next one, so that the space between them is part of it.
            let top = |element: &Element| element.get_bounding_client_rect().top();
            let height = element.next_element_sibling().map(|next| top(&next) - top(&element));
            self.heights.update_value(|heights| {
                heights.extend(height.map(|height| (number, height)));
            });
        }
        let is_near = entry.is_intersecting() || is_held(&element);
        if near.get_untracked() != is_near {
            near.set(is_near);
        }
    }
}

/// Whether the keyboard is in it, or some of it is selected: then it stays, however far it is.
fn is_held(element: &Element) -> bool {
    let focused = document().active_element();
    let selection = window().get_selection().ok().flatten();
    focused.is_some_and(|focused| element.contains(Some(&focused)))
        || selection.filter(|selection| !selection.is_collapsed()).is_some_and(|selection| {
            selection.contains_node_with_allow_partial_containment(element, true).unwrap_or_default()
        })
}

/// How many of the newest chunks fill the view, as far as one can tell before they are built. Rows are taken to be low:
/// rather too much is built than too little.
fn chunks_in_view(session: Session) -> usize {
    session.rows.with_untracked(|rows| {
        let (view, mut height) = (browser::view_height(), 0);
        let seen = rows.iter().rev().take_while(|row| {
            let fits = f64::from(height) < view;
            height += session.peek(row, least_height);
            fits
        });
        let first = rows.len() - seen.count();
        let chunk = |index: usize| rows.get(index).map_or(0, |row| chunk_of(row.position()));
        (chunk(rows.len().saturating_sub(1)) - chunk(first) + 1).min(NEWEST)
    })
}

fn least_height(message: &UiMessage) -> u32 {
    match message.kind {
        Kind::Tool | Kind::Thinking | Kind::Bash => 28,
        _ => 28 + u32::try_from(message.text.len() / 120).unwrap_or_default() * 20,
    }
}

const fn chunk_of(position: usize) -> usize {
    position / ROWS
}
