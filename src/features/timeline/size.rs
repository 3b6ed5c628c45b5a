//! Observes the size of the timeline and of its content.

use crate::reactive::effect;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::ResizeObserver;

/// Runs the callback after each layout that changed the size of one of the elements, as long as the component
/// lives.
pub fn observe(scroller: NodeRef<html::Div>, content: NodeRef<html::Div>, on_resize: impl Fn() + 'static) {
    let callback = Closure::<dyn FnMut()>::new(on_resize);
    let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) else { return };
    let observer = StoredValue::new_local(Some((observer, callback)));
    effect(move || {
        if let (Some(scroller), Some(content)) = (scroller.get(), content.get()) {
            observer.with_value(|observer| {
                if let Some((observer, _)) = observer {
                    observer.observe(&scroller);
                    observer.observe(&content);
                }
            });
        }
    });
    on_cleanup(move || {
        if let Some((observer, _callback)) = observer.try_update_value(Option::take).flatten() {
            observer.disconnect();
        }
    });
}
