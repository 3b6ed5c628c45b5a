//! Groups of lines have their colours only near the view: a conversation may bring any amount of code, most of it is
//! never looked at, and every colour is an element. A group that has left the page is forgotten.

use std::cell::{Cell, RefCell};

use js_sys::{Array, Reflect};
use pilothouse_highlight::{COLOURED, Span};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

use super::lines;

/// Where an element keeps its number among those that wait.
const NUMBER: &str = "pilothouseWaiting";

/// How far around the view is near, in heights of it.
const MARGIN: &str = "100%";

thread_local! {
    /// By the number that its element has, in rising order.
    static WAITING: RefCell<Vec<(u32, Element, Vec<Span>)>> = const { RefCell::new(Vec::new()) };
    static LAST: Cell<u32> = const { Cell::new(0) };
    static OBSERVER: Option<IntersectionObserver> = observer();
}

pub fn add(group: Element, spans: Vec<Span>) {
    if spans.is_empty() {
        return;
    }
    OBSERVER.with(|observer| match observer {
        Some(observer) => {
            observer.observe(&group);
            keep(group, spans);
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
    let number = Reflect::get(group, &NUMBER.into()).ok()?.as_f64()? as u32;
    WAITING.with_borrow_mut(|waiting| {
        let place = waiting.binary_search_by_key(&number, |(number, ..)| *number).ok()?;
        Some(waiting.remove(place).2)
    })
}

fn keep(group: Element, spans: Vec<Span>) {
    // Never one that was another's.
    let number = LAST.get() + 1;
    LAST.set(number);
    let _ = Reflect::set(&group, &NUMBER.into(), &number.into());
    WAITING.with_borrow_mut(|waiting| waiting.push((number, group, spans)));
}

fn observer() -> Option<IntersectionObserver> {
    let options = IntersectionObserverInit::new();
    // The conversation scrolls inside the page, where a margin around the page says nothing.
    let _ = Reflect::set(&options, &"scrollMargin".into(), &MARGIN.into());
    let moved = Closure::<dyn FnMut(Array)>::new(|entries: Array| {
        // Once, before something changes: the browser lays out the page to tell.
        let are_kept = is_selected() || are_marked();
        let mut has_changed = false;
        for entry in entries.iter() {
            let entry: IntersectionObserverEntry = entry.unchecked_into();
            let group = entry.target();
            if !entry.is_intersecting() {
                if !are_kept {
                    fade(group);
                }
            } else if let Some(spans) = take(&group) {
                lines::colour(&group, &spans);
                has_changed = true;
            }
        }
        if has_changed && are_marked() {
            tell();
        }
        forget_the_gone();
    });
    IntersectionObserver::new_with_options(moved.into_js_value().unchecked_ref(), &options).ok()
}

/// Whether words are marked in the page: marks hold on to texts.
fn are_marked() -> bool {
    let get = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).ok();
    let marks = get(&js_sys::global(), "CSS").and_then(|css| get(&css, "highlights"));
    marks.and_then(|marks| get(&marks, "size")).and_then(|size| size.as_f64()).is_some_and(|size| size > 0.0)
}

/// While somebody writes nothing else is selected, and one need not ask.
fn is_selected() -> bool {
    let Some(window) = web_sys::window() else { return false };
    let focused = window.document().and_then(|document| document.active_element());
    let writes = focused.is_some_and(|focused| focused.has_attribute("name"));
    !writes && window.get_selection().ok().flatten().is_some_and(|selection| !selection.is_collapsed())
}

/// Not while something is selected or marked, which stays as it is.
fn fade(group: Element) {
    if !group.is_connected() {
        return;
    }
    let spans = lines::fade(&group);
    if !spans.is_empty() {
        keep(group, spans);
    }
}

/// Tells the page that texts have become others.
fn tell() {
    if let (Some(window), Ok(event)) = (web_sys::window(), Event::new(COLOURED)) {
        let _ = window.dispatch_event(&event);
    }
}

fn forget_the_gone() {
    WAITING.with_borrow_mut(|waiting| {
        waiting.retain(|(_, group, _)| {
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
