//! Thin wrappers around browser APIs: time, random numbers, storage, the address. They never fail, and they know nothing
//! about the product.

pub mod clipboard;
pub mod debounce;
pub mod files;
pub mod highlight_ranges;
pub mod image_resize;
pub mod indexed_db;
pub mod local_storage;
pub mod session_storage;

use leptos::prelude::{document, window};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

/// Milliseconds since the Unix epoch.
pub fn now() -> f64 {
    js_sys::Date::now()
}

/// A random number in 0..1.
pub fn random() -> f64 {
    js_sys::Math::random()
}

/// An id that is unique across tabs and devices. `randomUUID` exists only in secure contexts; elsewhere the id consists
/// of the time and random numbers.
pub fn unique_id() -> String {
    let crypto = window().crypto().ok();
    let secure = window().is_secure_context();
    match crypto.filter(|_| secure) {
        Some(crypto) => crypto.random_uuid(),
        None => format!(
            "{:x}-{:x}-{:x}",
            now() as u64,
            (random() * 2f64.powi(52)) as u64,
            (random() * 2f64.powi(52)) as u64
        ),
    }
}

/// Whether the main pointer is a finger. Enter then inserts a line break, because on-screen keyboards have no
/// Shift+Enter.
pub fn is_touch() -> bool {
    window().match_media("(pointer: coarse)").ok().flatten().is_some_and(|query| query.matches())
}

/// The value of an input, textarea or select; empty for other elements.
pub fn field_value(field: &web_sys::Element) -> String {
    let value = js_sys::Reflect::get(field, &"value".into());
    value.ok().and_then(|value| value.as_string()).unwrap_or_default()
}

pub fn is_mac() -> bool {
    window().navigator().platform().is_ok_and(|platform| platform.starts_with("Mac"))
}

/// Keeps the page above an on-screen keyboard, in browsers that overlay the page instead of resizing it.
pub fn fit_above_keyboard() {
    let Some(viewport) = window().visual_viewport() else { return };
    let resized = viewport.clone();
    let fit = Closure::<dyn FnMut()>::new(move || {
        let Some(root) = document().document_element() else { return };
        let style = root.unchecked_ref::<web_sys::HtmlElement>().style();
        let covered = view_height() - resized.height();
        // Zooming in shrinks the visual viewport, too, and is not a keyboard.
        if covered > 1.0 && (resized.scale() - 1.0).abs() < 0.01 {
            let _ = style.set_property("--view", &format!("{}px", resized.height() as u32));
            // Undoes the browser's own scrolling to the focused field: the whole page is visible now.
            window().scroll_to_with_x_and_y(0.0, 0.0);
        } else {
            let _ = style.remove_property("--view");
        }
    });
    let _ = viewport.add_event_listener_with_callback("resize", fit.as_ref().unchecked_ref());
    fit.forget();
}

/// Whether the sidebar is a drawer. The width is the same as in the style sheet.
pub fn is_narrow() -> bool {
    window().match_media("(max-width: 760px)").ok().flatten().is_some_and(|query| query.matches())
}

/// The height of the window in pixels.
pub fn view_height() -> f64 {
    window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default()
}

/// Whether the tab is hidden.
pub fn is_hidden() -> bool {
    document().visibility_state() == web_sys::VisibilityState::Hidden
}

pub fn path() -> String {
    window().location().pathname().unwrap_or_default()
}

/// The fragment of the address, without its `#`.
pub fn fragment() -> String {
    window().location().hash().unwrap_or_default().trim_start_matches('#').to_owned()
}

pub fn replace_path(path: &str) {
    if let Ok(history) = window().history() {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(path));
    }
}

/// Decodes a percent-encoded path segment; invalid encoding is returned as it is.
pub fn decode_uri_component(segment: &str) -> String {
    js_sys::decode_uri_component(segment).map_or_else(|_| segment.to_owned(), String::from)
}

pub fn reload() {
    let _ = window().location().reload();
}

/// Decodes at least the first `count` bytes of base64 text.
pub fn decode_base64_prefix(base64: &str, count: usize) -> Vec<u8> {
    let start = base64.get(..count.div_ceil(3) * 4).unwrap_or(base64);
    let decoded = window().atob(start).unwrap_or_default();
    decoded.chars().filter_map(|letter| u8::try_from(u32::from(letter)).ok()).collect()
}
