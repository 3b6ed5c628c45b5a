//! Loads the highlighter, a separate WebAssembly module, and passes code to it.

use std::cell::RefCell;

use js_sys::{Function, Reflect};
use leptos::prelude::{document, window};
use pilothouse_highlight_web::{LANGUAGE, READY};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Element;

use crate::dom::element as dom;
use crate::routes;

/// The script that starts `crates/highlight-web`, written by trunk.
const LOADER: &str = "pilothouse-highlight-web_loader.js";

enum Highlighter {
    NotLoaded,
    Loading,
    Ready(Function),
}

thread_local! {
    /// The module, which is loaded once per page. A cache, not state: nothing reacts to it.
    static HIGHLIGHTER: RefCell<Highlighter> = const { RefCell::new(Highlighter::NotLoaded) };
}

/// Colours the code now, or once the highlighter is loaded.
pub fn colour(code: &Element) {
    if !append(code, "") && HIGHLIGHTER.with_borrow(|now| matches!(now, Highlighter::NotLoaded)) {
        load();
    }
}

/// Appends coloured text. Returns false if the highlighter is not loaded.
pub fn append(code: &Element, added: &str) -> bool {
    let highlighter = HIGHLIGHTER.with_borrow(|now| match now {
        Highlighter::Ready(function) => Some(function.clone()),
        _ => None,
    });
    highlighter.is_some_and(|function| function.call2(&JsValue::UNDEFINED, code, &added.into()).is_ok())
}

fn load() {
    HIGHLIGHTER.set(Highlighter::Loading);
    let ready = Closure::once_into_js(|function: Function| {
        HIGHLIGHTER.set(Highlighter::Ready(function));
        colour_all();
    });
    let _ = Reflect::set(&window(), &READY.into(), &ready);
    let script = dom::element("script");
    dom::set(&script, "type", "module");
    dom::set(&script, "src", &routes::server_address(LOADER));
    if let Some(head) = document().head() {
        dom::append(&head, &script);
    }
}

/// Colours the code that was rendered before the highlighter was loaded.
fn colour_all() {
    let Ok(all) = document().query_selector_all(&format!("[{LANGUAGE}]")) else { return };
    for code in (0..all.length()).filter_map(|index| all.item(index)) {
        append(code.unchecked_ref(), "");
    }
}
