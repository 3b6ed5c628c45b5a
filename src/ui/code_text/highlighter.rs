//! The highlighter is a module of its own, loaded when the first code appears that it can colour. Until it is there,
//! and where it cannot be loaded, code stands without colours.

use std::cell::RefCell;

use js_sys::{Function, Reflect, Uint32Array};
use leptos::prelude::{document, window};
use pilothouse_highlight::{READY, Span, unpack};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Element;

use super::{LANGUAGE, build, colour, text};
use crate::route;

/// What trunk makes of `crates/highlighter`: it starts the module.
const LOADER: &str = "pilothouse-highlighter_loader.js";

enum Highlighter {
    NotWanted,
    Wanted,
    Ready(Function),
}

thread_local! {
    static HIGHLIGHTER: RefCell<Highlighter> = const { RefCell::new(Highlighter::NotWanted) };
}

/// Follows the text of one code.
pub struct Stream(Function);

impl Stream {
    pub fn of(value: JsValue) -> Option<Self> {
        value.dyn_into().ok().map(Self)
    }

    pub fn function(&self) -> &JsValue {
        &self.0
    }

    /// The parts of the line that this is added to, and of all behind it.
    pub fn push(&self, added: &str) -> Vec<Span> {
        let numbers = self.0.call1(&JsValue::UNDEFINED, &added.into()).ok();
        let numbers = numbers.and_then(|numbers| numbers.dyn_into::<Uint32Array>().ok());
        numbers.map(|numbers| unpack(&numbers.to_vec())).unwrap_or_default()
    }
}

/// Begins a text. None, if the highlighter is not there yet; then the text is coloured once it is.
pub fn begin(language: &str) -> Option<Stream> {
    let (ready, wanted) = HIGHLIGHTER.with_borrow(|highlighter| match highlighter {
        Highlighter::NotWanted => (None, false),
        Highlighter::Wanted => (None, true),
        Highlighter::Ready(begin) => (Some(begin.clone()), true),
    });
    if !wanted {
        load();
    }
    ready?.call1(&JsValue::UNDEFINED, &language.into()).ok().and_then(Stream::of)
}

fn load() {
    HIGHLIGHTER.set(Highlighter::Wanted);
    let ready = Closure::once_into_js(|begin: Function| {
        HIGHLIGHTER.set(Highlighter::Ready(begin));
        colour_all();
    });
    let _ = Reflect::set(&window(), &READY.into(), &ready);
    let script = build::element("script");
    build::set(&script, "type", "module");
    build::set(&script, "src", &route::server_address(LOADER));
    if let Some(head) = document().head() {
        build::add(&head, &script);
    }
}

/// Colours what came before the highlighter.
fn colour_all() {
    let Ok(all) = document().query_selector_all(&format!("code[{LANGUAGE}]")) else { return };
    for code in (0..all.length()).filter_map(|index| all.item(index)) {
        let code: Element = code.unchecked_into();
        colour(&code, &text(&code));
    }
}
