//! Detects which elements are near the visible part of a scroll container, with one `IntersectionObserver`, so that only
//! those are built.

use std::rc::Rc;

use crate::reactive::effect;
use leptos::html;
use leptos::prelude::*;
use leptos::task::{spawn_local, tick};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{
    Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit, Selection,
};

use super::element::set;

/// The distance from the visible part within which an element counts as near: one container height.
const MARGIN: &str = "100% 0px";

/// The number of animation frames in which the newest rows are painted before anything else is observed.
const INITIAL_FRAMES: usize = 3;

/// The attribute with an observed element's number, which finds its callback when the observer reports the element.
const NUMBER: &str = "data-near";

type NearCallback = Rc<dyn Fn(bool)>;
type ObserverCallback = Closure<dyn FnMut(js_sys::Array)>;
type BeforeChange = Rc<dyn Fn()>;

#[derive(Clone, Copy)]
pub struct Visibility {
    observed: StoredValue<Observed, LocalStorage>,
    /// Set when elements were built because they came near.
    pub built: RwSignal<bool>,
    before_change: StoredValue<Option<BeforeChange>, LocalStorage>,
}

#[derive(Default)]
struct Observed {
    observer: Option<(IntersectionObserver, ObserverCallback)>,
    /// In ascending order of their numbers.
    elements: Vec<ObservedElement>,
    last_number: usize,
}

struct ObservedElement {
    number: usize,
    element: Element,
    callback: NearCallback,
}

impl Observed {
    fn index_of(&self, number: usize) -> Option<usize> {
        self.elements.binary_search_by_key(&number, |observed| observed.number).ok()
    }
}

/// Stops observing its element when dropped.
pub struct WatchGuard {
    visibility: Visibility,
    number: usize,
}

impl Visibility {
    /// If the container starts scrolled to its end, observing begins a few frames later, so that the newest rows are
    /// painted first.
    pub fn new(scroller: NodeRef<html::Div>, at_end: bool) -> Self {
        let visibility = Self {
            observed: StoredValue::new_local(Observed::default()),
            built: RwSignal::new(false),
            before_change: StoredValue::new_local(None),
        };
        effect(move || {
            if let Some(scroller) = scroller.get() {
                let frames = if at_end { INITIAL_FRAMES } else { 0 };
                after_frames(frames, Box::new(move || visibility.start(&scroller)));
            }
        });
        on_cleanup(move || {
            let observed = visibility.observed.try_update_value(std::mem::take);
            if let Some((observer, _callback)) = observed.and_then(|observed| observed.observer) {
                observer.disconnect();
            }
        });
        visibility
    }

    /// Sets the callback that runs before elements are built or emptied.
    pub fn before_change(&self, callback: impl Fn() + 'static) {
        self.before_change.set_value(Some(Rc::new(callback)));
    }

    fn run_before_change(&self) {
        if let Some(callback) = self.before_change.try_get_value().flatten() {
            callback();
        }
    }

    /// Calls `callback` whenever the element comes near or leaves. An element that contains the focus or a part of the
    /// selection always counts as near.
    pub fn watch(&self, element: &Element, callback: impl Fn(bool) + 'static) -> WatchGuard {
        let number = self.observed.try_update_value(|observed| {
            observed.last_number += 1;
            let number = observed.last_number;
            set(element, NUMBER, &number.to_string());
            if let Some((observer, _)) = &observed.observer {
                observer.observe(element);
            }
            let (element, callback) = (element.clone(), Rc::new(callback));
            observed.elements.push(ObservedElement { number, element, callback });
            number
        });
        WatchGuard { visibility: *self, number: number.unwrap_or_default() }
    }

    /// Builds everything inside `place`, wherever it is scrolled to. Parts far from the view are emptied again after
    /// they have been near once.
    pub fn force_near(&self, place: &Element) {
        self.force_near_where(&|element| place.contains(Some(element)));
    }

    /// Builds the whole selection, so that all of it is copied: the browser reads the selection after the tasks that
    /// are queued here.
    pub fn force_selection_near(self) {
        let in_use = InUse::now();
        if in_use.selection.is_none() {
            return;
        }
        self.force_near_where(&|element| in_use.is_in(element));
        spawn_local(async move {
            // Rows that were just built may contain parts that are not.
            tick().await;
            self.force_near_where(&|element| in_use.is_in(element));
        });
    }

    fn force_near_where(&self, applies: &dyn Fn(&Element) -> bool) {
        self.run_before_change();
        let callbacks = self.observed.try_with_value(|observed| {
            let matching = observed.elements.iter().filter(|observed| applies(&observed.element));
            matching.map(|observed| observed.callback.clone()).collect::<Vec<_>>()
        });
        callbacks.unwrap_or_default().iter().for_each(|callback| callback(true));
    }

    fn start(self, scroller: &Element) {
        let callback = ObserverCallback::new(move |entries: js_sys::Array| {
            self.run_before_change();
            let in_use = InUse::now();
            for entry in entries.iter() {
                self.entry_changed(&entry.unchecked_into(), &in_use);
            }
        });
        let options = IntersectionObserverInit::new();
        options.set_root(Some(scroller));
        options.set_root_margin(MARGIN);
        let observer = IntersectionObserver::new_with_options(callback.as_ref().unchecked_ref(), &options);
        let Ok(observer) = observer else { return };
        // Does nothing if the timeline was unmounted in the meantime.
        self.observed.try_update_value(|observed| {
            observed.elements.iter().for_each(|observed| observer.observe(&observed.element));
            observed.observer = Some((observer, callback));
        });
    }

    fn entry_changed(&self, entry: &IntersectionObserverEntry, in_use: &InUse) {
        let element = entry.target();
        let number = element.get_attribute(NUMBER).and_then(|number| number.parse::<usize>().ok());
        let find = |observed: &Observed| {
            observed.elements.get(observed.index_of(number?)?).map(|observed| observed.callback.clone())
        };
        // Runs after the borrow ends: the callback may watch or unwatch elements.
        if let Some(callback) = self.observed.try_with_value(find).flatten() {
            callback(entry.is_intersecting() || in_use.is_in(&element));
        }
    }
}

impl Drop for WatchGuard {
    fn drop(&mut self) {
        // The callback is dropped after the borrow ends: it may own other guards.
        let _removed = self.visibility.observed.try_update_value(|observed| {
            let removed = observed.elements.remove(observed.index_of(self.number)?);
            if let Some((observer, _)) = &observed.observer {
                observer.unobserve(&removed.element);
            }
            Some(removed)
        });
    }
}

/// Runs `run` after this many animation frames, or at once for zero.
pub fn after_frames(count: usize, run: Box<dyn FnOnce()>) {
    match count {
        0 => run(),
        _ => request_animation_frame(move || after_frames(count - 1, run)),
    }
}

/// The focused element and the selection. Read once, before the DOM changes: reading them makes the browser lay out the
/// page.
struct InUse {
    focused: Option<Element>,
    selection: Option<Selection>,
}

impl InUse {
    fn now() -> Self {
        let focused = document().active_element();
        // While a text field has focus, nothing outside it is selected. Every field of the page has a name.
        let in_field = focused.as_ref().is_some_and(|focused| focused.has_attribute("name"));
        let selection = if in_field { None } else { window().get_selection().ok().flatten() };
        Self { focused, selection: selection.filter(|selection| !selection.is_collapsed()) }
    }

    /// Whether `element` contains the focus or a part of the selection.
    fn is_in(&self, element: &Element) -> bool {
        let selected = |selection: &Selection| {
            selection.contains_node_with_allow_partial_containment(element, true).unwrap_or_default()
        };
        self.focused.as_ref().is_some_and(|focused| element.contains(Some(focused)))
            || self.selection.as_ref().is_some_and(selected)
    }
}
