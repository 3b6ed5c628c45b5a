//! Detects that everything an approval covers has been in view, part by part up to its end.

use std::cell::Cell;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, HtmlElement, IntersectionObserver, IntersectionObserverEntry};

use crate::dom::element::{append, set, with_class};

/// The class of the elements at the end of the parts, and their attribute once they have been in view.
const END: &str = "ask-end";
const SEEN: &str = "data-seen";
const UNSEEN_END: &str = ".ask-end:not([data-seen])";

type Callback = Closure<dyn FnMut(js_sys::Array, IntersectionObserver)>;

/// Calls `report` with whether all of these parts have been in view up to their ends, as long as the owner lives.
pub fn watch(parts: &[Element], report: impl Fn(bool) + 'static) {
    let unseen = Cell::new(parts.len());
    let callback = Callback::new(move |entries: js_sys::Array, observer: IntersectionObserver| {
        for entry in entries.iter() {
            let entry: IntersectionObserverEntry = entry.unchecked_into();
            if entry.is_intersecting() {
                set(&entry.target(), SEEN, "");
                observer.unobserve(&entry.target());
                unseen.set(unseen.get() - 1);
            }
        }
        report(unseen.get() == 0);
    });
    let Ok(observer) = IntersectionObserver::new(callback.as_ref().unchecked_ref()) else { return };
    for part in parts {
        let end = with_class("span", END);
        append(part, &end);
        observer.observe(&end);
    }
    let watching = StoredValue::new_local(Some((observer, callback)));
    on_cleanup(move || {
        if let Some((observer, _callback)) = watching.try_update_value(Option::take).flatten() {
            observer.disconnect();
        }
    });
}

/// Scrolls on to what has not been in view yet: a page within its part, or the page to the part. The part gets the focus,
/// so that keys scroll it, too.
pub fn read_on(card: &Element) {
    let Ok(Some(end)) = card.query_selector(UNSEEN_END) else { return };
    let Some(part) = end.parent_element() else { return };
    set(&part, "tabindex", "0");
    let _ = part.unchecked_ref::<HtmlElement>().focus();
    let before = part.scroll_top();
    part.set_scroll_top(before + part.client_height() * 9 / 10);
    if part.scroll_top() == before {
        end.scroll_into_view_with_bool(false);
    }
}
