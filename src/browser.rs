//! What the page asks the browser for: time, random numbers, storage, the address. Thin wrappers that never fail;
//! nothing here knows the product.

pub mod clipboard;
pub mod files;
pub mod highlight_ranges;
pub mod image_resize;
pub mod indexed_db;

use leptos::prelude::{document, window};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

/// Milliseconds since 1970.
pub fn now() -> f64 {
    js_sys::Date::now()
}

/// In 0..1.
pub fn random() -> f64 {
    js_sys::Math::random()
}

/// Unique across tabs and devices. `randomUUID` exists only in secure contexts, so there is a second way.
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

/// A touch screen: there Enter breaks the line, since there is no other key for it.
pub fn is_touch() -> bool {
    window().match_media("(pointer: coarse)").ok().flatten().is_some_and(|query| query.matches())
}

/// What stands in a field.
pub fn value_of(field: &web_sys::Element) -> String {
    let value = js_sys::Reflect::get(field, &"value".into());
    value.ok().and_then(|value| value.as_string()).unwrap_or_default()
}

pub fn is_mac() -> bool {
    window().navigator().platform().is_ok_and(|platform| platform.starts_with("Mac"))
}

/// Keeps the page above a keyboard that lies over it, where the browser does not make room by itself.
pub fn stay_above_keyboard() {
    let Some(view) = window().visual_viewport() else { return };
    let seen = view.clone();
    let fit = Closure::<dyn FnMut()>::new(move || {
        let Some(root) = document().document_element() else { return };
        let style = root.unchecked_ref::<web_sys::HtmlElement>().style();
        let covered = view_height() - seen.height();
        // Who has zoomed in sees a part as well, and that is no keyboard.
        if covered > 1.0 && (seen.scale() - 1.0).abs() < 0.01 {
            let _ = style.set_property("--view", &format!("{}px", seen.height() as u32));
            // The browser has scrolled what is written into view, and all is in view now.
            window().scroll_to_with_x_and_y(0.0, 0.0);
        } else {
            let _ = style.remove_property("--view");
        }
    });
    let _ = view.add_event_listener_with_callback("resize", fit.as_ref().unchecked_ref());
    fit.forget();
}

/// Where the sidebar is a drawer, as the style has it.
pub fn is_narrow() -> bool {
    window().match_media("(max-width: 760px)").ok().flatten().is_some_and(|query| query.matches())
}

/// In pixels.
pub fn view_height() -> f64 {
    window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default()
}

pub fn is_hidden() -> bool {
    document().visibility_state() == web_sys::VisibilityState::Hidden
}

/// Remembers a value in this browser; an empty one is forgotten.
pub fn remember(key: &str, value: &str) {
    let Some(storage) = window().local_storage().ok().flatten() else { return };
    // A full or forbidden storage costs the draft of a reload, nothing else.
    let _ = if value.is_empty() { storage.remove_item(key) } else { storage.set_item(key, value) };
}

pub fn recall(key: &str) -> Option<String> {
    window().local_storage().ok().flatten()?.get_item(key).ok().flatten()
}

/// All that is remembered under keys that begin so, with their keys.
pub fn remembered(prefix: &str) -> Vec<(String, String)> {
    let Some(storage) = window().local_storage().ok().flatten() else { return Vec::new() };
    let keys =
        (0..storage.length().unwrap_or_default()).filter_map(|place| storage.key(place).ok().flatten());
    let keys: Vec<String> = keys.filter(|key| key.starts_with(prefix)).collect();
    keys.into_iter().filter_map(|key| recall(&key).map(|value| (key, value))).collect()
}

/// True the first time in the life of this tab, whatever is reloaded in between.
pub fn first_time_in_tab(key: &str) -> bool {
    let Some(storage) = window().session_storage().ok().flatten() else { return false };
    let first = storage.get_item(key).ok().flatten().is_none();
    first && storage.set_item(key, "1").is_ok()
}

pub fn forget_in_tab(key: &str) {
    remember_in_tab(key, "");
}

/// Remembers a value as long as this tab is there; an empty one is forgotten.
pub fn remember_in_tab(key: &str, value: &str) {
    let Some(storage) = window().session_storage().ok().flatten() else { return };
    // What is out of date is worse than nothing.
    if value.is_empty() || storage.set_item(key, value).is_err() {
        let _ = storage.remove_item(key);
    }
}

pub fn recall_in_tab(key: &str) -> Option<String> {
    window().session_storage().ok().flatten()?.get_item(key).ok().flatten()
}

pub fn path() -> String {
    window().location().pathname().unwrap_or_default()
}

/// The address behind `#`, without it.
pub fn fragment() -> String {
    window().location().hash().unwrap_or_default().trim_start_matches('#').to_owned()
}

pub fn replace_path(path: &str) {
    if let Ok(history) = window().history() {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(path));
    }
}

/// A part of a path, without what encodes it.
pub fn decoded(part: &str) -> String {
    js_sys::decode_uri_component(part).map_or_else(|_| part.to_owned(), String::from)
}

pub fn reload() {
    let _ = window().location().reload();
}

/// The first bytes of base64 text.
pub fn first_bytes(base64: &str, count: usize) -> Vec<u8> {
    let start = base64.get(..count.div_ceil(3) * 4).unwrap_or(base64);
    let decoded = window().atob(start).unwrap_or_default();
    decoded.chars().filter_map(|letter| u8::try_from(u32::from(letter)).ok()).collect()
}
