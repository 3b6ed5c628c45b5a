//! Groups of lines have their colours only near the view: a conversation may bring any amount of code, most of it is
//! never looked at, and every colour is an element. A group that has left the page is forgotten.

use std::cell::RefCell;

use js_sys::{Array, Reflect};
use pilothouse_highlight::Span;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

use super::lines;

/// How far around the view is near, in heights of it.
const MARGIN: &str = "100%";

thread_local! {
    static WAITING: RefCell<Vec<(Element, Vec<Span>)>> = const { RefCell::new(Vec::new()) };
    static OBSERVER: Option<IntersectionObserver> = observer();
}

pub fn add(group: Element, spans: Vec<Span>) {
    if spans.is_empty() {
        return;
    }
    OBSERVER.with(|observer| match observer {
        Some(observer) => {
            observer.observe(&group);
            WAITING.with_borrow_mut(|waiting| waiting.push((group, spans)));
        }
        None => lines::colour(&group, &spans),
    });
}

/// Takes its colours from a group when it has left, and gives them back when it returns.
pub fn watch(group: &Element) {
    OBSERVER.with(|observer| {
        if let Some(observer) = observer {
            observer.observe(group);
        }
    });
}

/// Takes a group back, with its parts if it was waiting.
pub fn take(group: &Element) -> Option<Vec<Span>> {
    WAITING.with_borrow_mut(|waiting| {
        let place = waiting.iter().position(|(other, _)| other.is_same_node(Some(group)))?;
        Some(waiting.swap_remove(place).1)
    })
}

fn observer() -> Option<IntersectionObserver> {
    let options = IntersectionObserverInit::new();
    // The conversation scrolls inside the page, where a margin around the page says nothing.
    let _ = Reflect::set(&options, &"scrollMargin".into(), &MARGIN.into());
    let moved = Closure::<dyn FnMut(Array)>::new(|entries: Array| {
        for entry in entries.iter() {
            let entry: IntersectionObserverEntry = entry.unchecked_into();
            let group = entry.target();
            if !entry.is_intersecting() {
                fade(group);
            } else if let Some(spans) = take(&group) {
                lines::colour(&group, &spans);
            }
        }
        forget_the_gone();
    });
    IntersectionObserver::new_with_options(moved.into_js_value().unchecked_ref(), &options).ok()
}

/// What somebody has selected stays as it is.
fn fade(group: Element) {
    let selected = web_sys::window().and_then(|window| window.get_selection().ok().flatten());
    if !group.is_connected() || selected.is_some_and(|selection| !selection.is_collapsed()) {
        return;
    }
    let spans = lines::fade(&group);
    if !spans.is_empty() {
        WAITING.with_borrow_mut(|waiting| waiting.push((group, spans)));
    }
}

fn forget_the_gone() {
    WAITING.with_borrow_mut(|waiting| {
        waiting.retain(|(group, _)| {
            let stays = group.is_connected();
            if !stays {
                unobserve(group);
            }
            stays
        });
    });
}

fn unobserve(group: &Element) {
    OBSERVER.with(|observer| {
        if let Some(observer) = observer {
            observer.unobserve(group);
        }
    });
}
