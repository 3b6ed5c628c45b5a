//! What is near the view of something that scrolls: whoever has a part of it is told when that comes near and when it
//! goes, so that only what is near is built.

use std::rc::Rc;

use leptos::html;
use leptos::prelude::*;
use leptos::task::{spawn_local, tick};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{
    Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit, Selection,
};

use super::element::set;

/// How far around the view something is near, in heights of it.
const MARGIN: &str = "100% 0px";

/// Until the newest rows are built, which are not waited for.
const FIRST: usize = 3;

/// By this the browser's word is matched with who waits for it.
const NUMBER: &str = "data-near";

type Tell = Rc<dyn Fn(bool)>;
type OnChange = Closure<dyn FnMut(js_sys::Array)>;

#[derive(Clone, Copy)]
pub struct Visibility {
    watch: StoredValue<Watch, LocalStorage>,
    /// Set when something was built that was not there before.
    pub built: RwSignal<bool>,
    before: StoredValue<Option<Before>, LocalStorage>,
}

/// Who wants to know that something is about to be built or let go of.
type Before = Rc<dyn Fn()>;

#[derive(Default)]
struct Watch {
    observer: Option<(IntersectionObserver, OnChange)>,
    /// By rising numbers.
    watched: Vec<(usize, Element, Tell)>,
    last: usize,
}

impl Watch {
    fn place(&self, number: usize) -> Option<usize> {
        self.watched.binary_search_by_key(&number, |(number, ..)| *number).ok()
    }
}

/// An element is watched as long as this is held.
pub struct Watched {
    near: Visibility,
    number: usize,
}

impl Visibility {
    /// What is seen first is painted first, if that is the end: then nothing is told for a few frames.
    pub fn new(scroller: NodeRef<html::Div>, at_end: bool) -> Self {
        let near = Self {
            watch: StoredValue::new_local(Watch::default()),
            built: RwSignal::new(false),
            before: StoredValue::new_local(None),
        };
        Effect::new(move |_| {
            if let Some(scroller) = scroller.get() {
                after_frames(if at_end { FIRST } else { 0 }, Box::new(move || near.begin(&scroller)));
            }
        });
        on_cleanup(move || {
            let watch = near.watch.try_update_value(std::mem::take);
            if let Some((observer, _closure)) = watch.and_then(|watch| watch.observer) {
                observer.disconnect();
            }
        });
        near
    }

    pub fn before_change(&self, tell: impl Fn() + 'static) {
        self.before.set_value(Some(Rc::new(tell)));
    }

    fn changes(&self) {
        if let Some(tell) = self.before.try_get_value().flatten() {
            tell();
        }
    }

    /// Tells from now on whether this element is near. What has the keyboard or is selected is always near.
    pub fn watch(&self, element: &Element, tell: impl Fn(bool) + 'static) -> Watched {
        let number = self.watch.try_update_value(|watch| {
            watch.last += 1;
            set(element, NUMBER, &watch.last.to_string());
            if let Some((observer, _)) = &watch.observer {
                observer.observe(element);
            }
            watch.watched.push((watch.last, element.clone(), Rc::new(tell)));
            watch.last
        });
        Watched { near: *self, number: number.unwrap_or_default() }
    }

    /// Has everything inside an element built, wherever the view is. What is not near goes once it was.
    pub fn reveal(&self, place: &Element) {
        self.reveal_all(&|element| place.contains(Some(element)));
    }

    /// Has everything built that is selected, so that all of it is copied: the browser looks at it when all that was
    /// begun here is done.
    pub fn reveal_selected(self) {
        let held = Held::now();
        if held.selection.is_none() {
            return;
        }
        self.reveal_all(&|element| held.is_in(element));
        spawn_local(async move {
            // Rows that are built for it may have parts that are not.
            tick().await;
            self.reveal_all(&|element| held.is_in(element));
        });
    }

    fn reveal_all(&self, wanted: &dyn Fn(&Element) -> bool) {
        self.changes();
        let told = self.watch.try_with_value(|watch| {
            let told = watch.watched.iter().filter(|(_, element, _)| wanted(element));
            told.map(|(.., tell)| tell.clone()).collect::<Vec<_>>()
        });
        told.unwrap_or_default().iter().for_each(|tell| tell(true));
    }

    fn begin(self, scroller: &Element) {
        let callback = OnChange::new(move |entries: js_sys::Array| {
            self.changes();
            let held = Held::now();
            for entry in entries.iter() {
                self.changed(&entry.unchecked_into(), &held);
            }
        });
        let options = IntersectionObserverInit::new();
        options.set_root(Some(scroller));
        options.set_root_margin(MARGIN);
        let observer = IntersectionObserver::new_with_options(callback.as_ref().unchecked_ref(), &options);
        let Ok(observer) = observer else { return };
        // Nobody may be there any more.
        self.watch.try_update_value(|watch| {
            watch.watched.iter().for_each(|(_, element, _)| observer.observe(element));
            watch.observer = Some((observer, callback));
        });
    }

    fn changed(&self, entry: &IntersectionObserverEntry, held: &Held) {
        let element = entry.target();
        let number = element.get_attribute(NUMBER).and_then(|number| number.parse::<usize>().ok());
        let known = |watch: &Watch| watch.watched.get(watch.place(number?)?).map(|(.., tell)| tell.clone());
        // Not while it is held: who is told may watch something else, or nothing any more.
        if let Some(tell) = self.watch.try_with_value(known).flatten() {
            tell(entry.is_intersecting() || held.is_in(&element));
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // What was told goes only when nothing is held any more.
        let _gone = self.near.watch.try_update_value(|watch| {
            let gone = watch.watched.remove(watch.place(self.number)?);
            if let Some((observer, _)) = &watch.observer {
                observer.unobserve(&gone.1);
            }
            Some(gone)
        });
    }
}

/// Runs something so many frames from now.
pub fn after_frames(count: usize, run: Box<dyn FnOnce()>) {
    match count {
        0 => run(),
        _ => request_animation_frame(move || after_frames(count - 1, run)),
    }
}

/// What has the keyboard, and what is selected. Asked for once, before something changes: the browser lays out the page
/// to tell.
struct Held {
    focused: Option<Element>,
    selection: Option<Selection>,
}

impl Held {
    fn now() -> Self {
        let focused = document().active_element();
        // While somebody writes nothing else is selected.
        let writes = focused.as_ref().is_some_and(|focused| focused.has_attribute("name"));
        let selection = if writes { None } else { window().get_selection().ok().flatten() };
        Self { focused, selection: selection.filter(|selection| !selection.is_collapsed()) }
    }

    /// Then it stays, however far it is.
    fn is_in(&self, element: &Element) -> bool {
        let selected = |selection: &Selection| {
            selection.contains_node_with_allow_partial_containment(element, true).unwrap_or_default()
        };
        self.focused.as_ref().is_some_and(|focused| element.contains(Some(focused)))
            || self.selection.as_ref().is_some_and(selected)
    }
}
