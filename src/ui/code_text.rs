//! The text of code: a `code` element with its lines in groups, coloured where the highlighter knows the language.
//! Groups, since a browser lays out anew all that stands in one box with what is added, and paints it anew: a line
//! that comes costs its group, however long the code is. All that is known of a code is kept at its element and goes
//! with it.

mod highlighter;
mod lines;
mod waiting;

use wasm_bindgen::JsValue;
use web_sys::Element;

use self::highlighter::Stream;
use super::markdown::build;

/// Longer code stands as it is: nobody reads it by its colours.
const LONGEST: usize = 256 * 1_024;

/// Names the language of code that can be coloured.
const LANGUAGE: &str = "data-language";

/// Where an element keeps what follows its text.
const STREAM: &str = "pilothouseStream";

pub fn element(language: &str, text: &str) -> Element {
    let code = build::element("code");
    if pilothouse_highlight::of_name(language).is_some() {
        build::set(&code, LANGUAGE, language);
    }
    show(&code, text);
    code
}

pub fn text(code: &Element) -> String {
    code.text_content().unwrap_or_default()
}

/// Changes the text. What stands there stays if the new text only goes on.
pub fn set(code: &Element, text: &str) {
    let shown = self::text(code);
    match text.strip_prefix(&shown) {
        Some(added) => append(code, added),
        None => {
            code.set_text_content(None);
            keep(code, &JsValue::UNDEFINED);
            show(code, text);
        }
    }
}

/// Adds to the text. Only the line that it is added to is built again.
pub fn append(code: &Element, added: &str) {
    if added.is_empty() {
        return;
    }
    match stream_of(code) {
        Some(stream) => {
            let spans = stream.push(added);
            let line = lines::take_open_line(code) + added;
            lines::write(code, &line, &spans);
        }
        None => lines::write_plain(code, added),
    }
}

fn show(code: &Element, text: &str) {
    lines::write_plain(code, text);
    colour(code, text);
}

/// Colours what stands there, not all of it at once.
fn colour(code: &Element, text: &str) {
    let Some(language) = code.get_attribute(LANGUAGE) else { return };
    if text.len() > LONGEST {
        let _ = code.remove_attribute(LANGUAGE);
        return;
    }
    if let Some(stream) = highlighter::begin(&language) {
        lines::by_group(code, stream.push(text), waiting::add);
    }
}

/// What follows the text of a code that grows. It is made when the first is added: most code never grows.
fn stream_of(code: &Element) -> Option<Stream> {
    let kept = js_sys::Reflect::get(code, &STREAM.into()).ok().and_then(Stream::of);
    if kept.is_some() {
        return kept;
    }
    let stream = highlighter::begin(&code.get_attribute(LANGUAGE)?)?;
    let spans = stream.push(&text(code));
    if let Some(group) = code.last_element_child() {
        waiting::forget(&group);
        lines::by_group(code, spans, |other, spans| {
            if other.is_same_node(Some(&group)) {
                lines::colour(&other, &spans);
            }
        });
    }
    keep(code, stream.function());
    Some(stream)
}

fn keep(code: &Element, stream: &JsValue) {
    let _ = js_sys::Reflect::set(code, &STREAM.into(), stream);
}

#[cfg(all(test, target_arch = "wasm32"))]
mod browser_tests;
