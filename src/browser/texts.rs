//! Texts that leave the page: to the clipboard, or into a file.

use leptos::prelude::{document, window};
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use web_sys::{Blob, HtmlAnchorElement, Url};

/// Copies a text; tells whether the browser let it.
pub fn copy(text: &str, done: impl FnOnce(bool) + 'static) {
    // There is none where the page was not opened in a safe way.
    if !window().is_secure_context() {
        return done(false);
    }
    let copied = window().navigator().clipboard().write_text(text);
    spawn_local(async move { done(wasm_bindgen_futures::JsFuture::from(copied).await.is_ok()) });
}

/// Offers a text as a file to be saved.
pub fn save(name: &str, text: &str) {
    let parts = js_sys::Array::of1(&text.into());
    let Ok(blob) = Blob::new_with_str_sequence(&parts) else { return };
    let Ok(address) = Url::create_object_url_with_blob(&blob) else { return };
    let link = document().create_element("a").ok().and_then(|link| link.dyn_into::<HtmlAnchorElement>().ok());
    if let Some(link) = link {
        link.set_href(&address);
        link.set_download(name);
        link.click();
    }
    let _ = Url::revoke_object_url(&address);
}
