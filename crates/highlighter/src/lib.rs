//! The highlighter, a module of its own that the page loads when code appears. It colours what it is given, elements as
//! the page builds them: code with its lines in groups, and changes line by line. All that is known of a code is kept at
//! its element and goes with it.

mod change;
mod lines;
mod waiting;

use js_sys::{Function, Reflect};
use pilothouse_highlight::{Highlighter, LANGUAGE, READY, of_name};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Element;

/// Longer code stands as it is: nobody reads it by its colours.
const LONGEST: usize = 256 * 1_024;

/// Where an element keeps what follows its text.
const STREAM: &str = "pilothouseStream";

/// Tells the page that the highlighter is there, and hands it over: a function of an element and of what is to be added
/// to its text. With nothing to add, what stands there is coloured.
pub fn start() {
    let highlighter = Closure::<dyn FnMut(Element, String)>::new(|code: Element, added: String| {
        if code.tag_name() != "CODE" {
            change::colour(&code);
        } else if added.is_empty() {
            colour(&code);
        } else {
            append(&code, &added);
        }
    });
    let ready = Reflect::get(&js_sys::global(), &READY.into()).ok();
    if let Some(ready) = ready.and_then(|ready| ready.dyn_into::<Function>().ok()) {
        // Nobody is left to be told that telling failed.
        let _ = ready.call1(&JsValue::UNDEFINED, &highlighter.into_js_value());
    }
}

/// Colours what stands there, as it comes near the view.
fn colour(code: &Element) {
    let text = lines::text(code);
    if text.len() > LONGEST {
        let _ = code.remove_attribute(LANGUAGE);
    } else if let Some(mut highlighter) = highlighter_of(code) {
        lines::by_group(code, highlighter.push(&text), waiting::add);
    }
}

/// Only the line that is added to is built again.
fn append(code: &Element, added: &str) {
    let stream =
        Reflect::get(code, &STREAM.into()).ok().and_then(|stream| stream.dyn_into::<Function>().ok());
    give_back_colours(code);
    match stream.or_else(|| follow(code)) {
        Some(stream) => drop(stream.call2(&JsValue::UNDEFINED, code, &added.into())),
        None => lines::append(code, added, &[]),
    }
}

/// Follows the text of a code from now on. Most code never grows, so this is made when the first is added.
fn follow(code: &Element) -> Option<Function> {
    let mut highlighter = highlighter_of(code)?;
    highlighter.push(&lines::text(code));
    // The element is handed over each time: one that its own function held on to would never be let go.
    let stream = Closure::<dyn FnMut(Element, String)>::new(move |code: Element, added: String| {
        lines::append(&code, &added, &highlighter.push(&added));
    });
    let stream = stream.into_js_value();
    let _ = Reflect::set(code, &STREAM.into(), &stream);
    stream.dyn_into().ok()
}

/// A group that waits is coloured as it is before it is written to.
fn give_back_colours(code: &Element) {
    if let Some(group) = code.last_element_child().filter(|group| group.first_element_child().is_none())
        && let Some(spans) = waiting::take(&group)
    {
        lines::colour(&group, &spans);
    }
}

fn highlighter_of(code: &Element) -> Option<Highlighter> {
    code.get_attribute(LANGUAGE).and_then(|name| of_name(&name)).map(Highlighter::new)
}
