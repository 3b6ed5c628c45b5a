//! Copies text to the clipboard and downloads it as a file.

use leptos::prelude::{document, window};
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use web_sys::{Blob, HtmlAnchorElement, HtmlDocument, HtmlElement, HtmlTextAreaElement, Url};

/// Copies text, and calls `done` with whether that succeeded.
pub fn copy(text: &str, done: impl FnOnce(bool) + 'static) {
    // The clipboard API exists only in secure contexts, which plain HTTP from another device is not.
    if !window().is_secure_context() {
        return done(copy_from_field(text));
    }
    let copied = window().navigator().clipboard().write_text(text);
    spawn_local(async move { done(wasm_bindgen_futures::JsFuture::from(copied).await.is_ok()) });
}

/// Copies from a hidden text field with the deprecated `execCommand`, which also works in insecure contexts.
fn copy_from_field(text: &str) -> bool {
    let before = document().active_element().and_then(|element| element.dyn_into::<HtmlElement>().ok());
    let field = document().create_element("textarea").ok().and_then(|field| field.dyn_into().ok());
    let (Some(field), Some(body)) = (field, document().body()) else { return false };
    let field: HtmlTextAreaElement = field;
    field.set_value(text);
    field.set_name("copied");
    field.set_class_name("copied-field");
    let _ = body.append_child(&field);
    let _ = field.focus();
    field.select();
    let copied = document().unchecked_into::<HtmlDocument>().exec_command("copy").unwrap_or_default();
    field.remove();
    before.iter().for_each(|element| drop(element.focus()));
    copied
}

/// Downloads text as a file.
pub fn download(name: &str, text: &str) {
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
