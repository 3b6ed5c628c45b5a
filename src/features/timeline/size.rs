//! Tells when the timeline or what stands in it has changed its size.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::ResizeObserver;

/// Watches the size of both elements as long as the component lives.
pub fn watch_size(
    scroller: NodeRef<html::Div>,
    content: NodeRef<html::Div>,
    on_resize: impl Fn() + 'static,
    on_first: impl FnOnce() + 'static,
) {
    let mut on_first = Some(on_first);
    let callback = Closure::<dyn FnMut()>::new(move || {
        if let Some(on_first) = on_first.take() {
            on_first();
        }
        on_resize();
    });
    let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) else { return };
    let held = StoredValue::new_local(Some((observer, callback)));
    Effect::new(move |_| {
        if let (Some(scroller), Some(content)) = (scroller.get(), content.get()) {
            held.with_value(|held| {
                if let Some((observer, _)) = held {
                    observer.observe(&scroller);
                    observer.observe(&content);
                }
            });
        }
    });
    on_cleanup(move || {
        if let Some((observer, _closure)) = held.try_update_value(Option::take).flatten() {
            observer.disconnect();
        }
    });
}
