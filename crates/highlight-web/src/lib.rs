//! The highlighter: a separate WebAssembly module that the page loads when code appears. It colours elements that the
//! page built: code with its lines in groups, and diffs line by line. The state of an element is a property of the
//! element, so both are freed together.
//!
//! The page uses the constants of this crate and nothing else, so the code stays out of its own module.

mod diff;
mod lines;
mod pending;

use js_sys::{Function, Reflect};
use pilothouse_highlight::{Highlighter, of_name};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Element;

/// The attribute with the language of an element to colour: code, or the lines of a diff.
pub const LANGUAGE: &str = "data-language";

/// The class of a group of lines.
pub const GROUP: &str = "code-lines";

/// The global function of the page that is called with the highlighter when it is loaded.
pub const READY: &str = "pilothouseHighlighterIsReady";

/// The event that reports replaced text nodes while ranges are highlighted in them.
pub const COLOURED: &str = "pilothouse-coloured";

/// The maximum length of code that is coloured, in bytes.
const LONGEST: usize = 256 * 1_024;

/// The property of an element with the function that appends to its text.
const STREAM: &str = "pilothouseStream";

/// Passes the highlighter to the page: a function of an element and of text to append to it. If the text is empty, the
/// existing content is coloured.
pub fn start() {
    let highlighter = Closure::<dyn FnMut(Element, String)>::new(|code: Element, added: String| {
        if code.tag_name() != "CODE" {
            diff::colour(&code);
        } else if added.is_empty() {
            colour(&code);
        } else {
            append(&code, &added);
        }
    });
    let ready = Reflect::get(&js_sys::global(), &READY.into()).ok();
    if let Some(ready) = ready.and_then(|ready| ready.dyn_into::<Function>().ok()) {
        // An exception in the page cannot be handled here.
        let _ = ready.call1(&JsValue::UNDEFINED, &highlighter.into_js_value());
    }
}

/// Colours the existing content, each group when it comes near the view.
fn colour(code: &Element) {
    let text = lines::text(code);
    if text.len() > LONGEST {
        let _ = code.remove_attribute(LANGUAGE);
    } else if let Some(mut highlighter) = highlighter_of(code) {
        lines::by_group(code, highlighter.push(&text), pending::add);
    }
}

/// Appends text. Only the incomplete line is built again.
fn append(code: &Element, added: &str) {
    let stream =
        Reflect::get(code, &STREAM.into()).ok().and_then(|stream| stream.dyn_into::<Function>().ok());
    colour_last_group(code);
    match stream.or_else(|| follow(code)) {
        Some(stream) => drop(stream.call2(&JsValue::UNDEFINED, code, &added.into())),
        None => lines::append(code, added, &[]),
    }
}

/// Creates the function that appends to the code. Most code never grows, so it is created with the first addition.
fn follow(code: &Element) -> Option<Function> {
    let mut highlighter = highlighter_of(code)?;
    highlighter.push(&lines::text(code));
    // The element is an argument: a closure that referenced it would keep it alive forever.
    let stream = Closure::<dyn FnMut(Element, String)>::new(move |code: Element, added: String| {
        lines::append(&code, &added, &highlighter.push(&added));
    });
    let stream = stream.into_js_value();
    let _ = Reflect::set(code, &STREAM.into(), &stream);
    stream.dyn_into().ok()
}

/// Colours the last group if it is pending, before text is appended to it.
fn colour_last_group(code: &Element) {
    if let Some(group) = code.last_element_child().filter(|group| group.first_element_child().is_none())
        && let Some(spans) = pending::take(&group)
    {
        lines::colour(&group, &spans);
    }
}

fn highlighter_of(code: &Element) -> Option<Highlighter> {
    code.get_attribute(LANGUAGE).and_then(|name| of_name(&name)).map(Highlighter::new)
}
