//! Groups of lines that are coloured only near the view: every colour is an element, and most code of a long
//! conversation is never looked at. Groups that are no longer in the document are dropped.

use std::cell::{Cell, RefCell};

use js_sys::{Array, Reflect};
use pilothouse_highlight::Span;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

use super::{COLOURED, lines};

/// The property of an element with its number among the pending groups.
const NUMBER: &str = "pilothouseWaiting";

/// The distance from the view that counts as near, relative to its height.
const MARGIN: &str = "100%";

thread_local! {
    /// The pending groups with their numbers, in ascending order.
    static PENDING: RefCell<Vec<(u32, Element, Vec<Span>)>> = const { RefCell::new(Vec::new()) };
    static LAST: Cell<u32> = const { Cell::new(0) };
    static OBSERVER: Option<IntersectionObserver> = observer();
}

/// Colours a group when it comes near the view.
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

/// Removes the colours of a group when it leaves the view, and restores them when it returns.
pub fn watch(group: &Element) {
    OBSERVER.with(|observer| {
        if let Some(observer) = observer {
            observer.observe(group);
        }
    });
}

/// Removes a group from the pending ones and returns its spans.
pub fn take(group: &Element) -> Option<Vec<Span>> {
    let number = Reflect::get(group, &NUMBER.into()).ok()?.as_f64()? as u32;
    PENDING.with_borrow_mut(|pending| {
        let place = pending.binary_search_by_key(&number, |(number, ..)| *number).ok()?;
        Some(pending.remove(place).2)
    })
}

fn keep(group: Element, spans: Vec<Span>) {
    // Numbers are never reused.
    let number = LAST.get() + 1;
    LAST.set(number);
    let _ = Reflect::set(&group, &NUMBER.into(), &number.into());
    PENDING.with_borrow_mut(|pending| pending.push((number, group, spans)));
}

fn observer() -> Option<IntersectionObserver> {
    let options = IntersectionObserverInit::new();
    // The conversation scrolls inside of an element, to which `rootMargin` does not apply.
    let _ = Reflect::set(&options, &"scrollMargin".into(), &MARGIN.into());
    let moved = Closure::<dyn FnMut(Array)>::new(|entries: Array| {
        // Checked once, before the DOM changes, because it forces a layout.
        let keeps_nodes = is_selected() || are_marked();
        let mut has_changed = false;
        for entry in entries.iter() {
            let entry: IntersectionObserverEntry = entry.unchecked_into();
            let group = entry.target();
            if !entry.is_intersecting() {
                if !keeps_nodes {
                    fade(group);
                }
            } else if let Some(spans) = take(&group) {
                lines::colour(&group, &spans);
                has_changed = true;
            }
        }
        if has_changed && are_marked() {
            report_change();
        }
        drop_disconnected();
    });
    IntersectionObserver::new_with_options(moved.into_js_value().unchecked_ref(), &options).ok()
}

/// Whether ranges are highlighted in the page. Their text nodes must not be replaced unnoticed.
fn are_marked() -> bool {
    let get = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).ok();
    let marks = get(&js_sys::global(), "CSS").and_then(|css| get(&css, "highlights"));
    marks.and_then(|marks| get(&marks, "size")).and_then(|size| size.as_f64()).is_some_and(|size| size > 0.0)
}

/// Whether text is selected. While a text field has focus nothing else is, and the layout is avoided.
fn is_selected() -> bool {
    let Some(window) = web_sys::window() else { return false };
    let focused = window.document().and_then(|document| document.active_element());
    let writes = focused.is_some_and(|focused| focused.has_attribute("name"));
    !writes && window.get_selection().ok().flatten().is_some_and(|selection| !selection.is_collapsed())
}

/// Removes the colours of a group. The caller checks that no text is selected or highlighted.
fn fade(group: Element) {
    if !group.is_connected() {
        return;
    }
    let spans = lines::fade(&group);
    if !spans.is_empty() {
        keep(group, spans);
    }
}

/// Reports replaced text nodes to the page.
fn report_change() {
    if let (Some(window), Ok(event)) = (web_sys::window(), Event::new(COLOURED)) {
        let _ = window.dispatch_event(&event);
    }
}

fn drop_disconnected() {
    PENDING.with_borrow_mut(|pending| {
        pending.retain(|(_, group, _)| {
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
