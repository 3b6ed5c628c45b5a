//! `sessionStorage`: values that survive a reload and end with the tab. Unavailable storage counts as empty.

use leptos::prelude::window;
use web_sys::Storage;

/// Stores a value; an empty one removes the key.
pub fn set(key: &str, value: &str) {
    let Some(storage) = storage() else { return };
    // If storing fails, the key is removed: an outdated value is worse than none.
    if value.is_empty() || storage.set_item(key, value).is_err() {
        let _ = storage.remove_item(key);
    }
}

pub fn get(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

pub fn remove(key: &str) {
    set(key, "");
}

/// Sets a flag. Returns true if it was not set before and could be stored.
pub fn set_once(key: &str) -> bool {
    let Some(storage) = storage() else { return false };
    let is_first = storage.get_item(key).ok().flatten().is_none();
    is_first && storage.set_item(key, "1").is_ok()
}

fn storage() -> Option<Storage> {
    window().session_storage().ok().flatten()
}
