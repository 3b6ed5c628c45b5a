//! `localStorage`. Unavailable or full storage counts as empty: callers lose a draft after a reload, nothing else.

use leptos::prelude::window;
use web_sys::Storage;

/// Stores a value; an empty one removes the key.
pub fn set(key: &str, value: &str) {
    let Some(storage) = storage() else { return };
    let _ = if value.is_empty() { storage.remove_item(key) } else { storage.set_item(key, value) };
}

pub fn get(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

/// All keys that start with `prefix`, with their values.
pub fn entries(prefix: &str) -> Vec<(String, String)> {
    let Some(storage) = storage() else { return Vec::new() };
    let keys =
        (0..storage.length().unwrap_or_default()).filter_map(|index| storage.key(index).ok().flatten());
    let keys: Vec<String> = keys.filter(|key| key.starts_with(prefix)).collect();
    keys.into_iter().filter_map(|key| get(&key).map(|value| (key, value))).collect()
}

fn storage() -> Option<Storage> {
    window().local_storage().ok().flatten()
}
