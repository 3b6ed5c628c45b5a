//! The highlighter as a module of its own. The page loads it when code appears and has left a function to be told when
//! it is there; what it is told is a function that begins a text: it takes the name of a language and gives a function
//! that takes what is added to the text and gives the parts found. Nothing here touches the document.

use js_sys::{Function, Reflect};
use pilothouse_highlight::{Highlighter, READY, of_name, pack};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

fn main() {
    let begin = Closure::<dyn FnMut(String) -> JsValue>::new(|language: String| begin(&language));
    let ready = Reflect::get(&js_sys::global(), &READY.into()).ok();
    if let Some(ready) = ready.and_then(|ready| ready.dyn_into::<Function>().ok()) {
        // Nobody is left to be told that telling failed.
        let _ = ready.call1(&JsValue::UNDEFINED, &begin.into_js_value());
    }
}

fn begin(language: &str) -> JsValue {
    let Some(language) = of_name(language) else { return JsValue::UNDEFINED };
    let mut highlighter = Highlighter::new(language);
    let push =
        Closure::<dyn FnMut(String) -> Vec<u32>>::new(move |added: String| pack(&highlighter.push(&added)));
    push.into_js_value()
}
