//! Blocks of code: a bar with the language and a button that copies, and the text below it.

use web_sys::Element;

use super::build::{add, element, set, with_class, with_text};
use crate::dom::element::copy;
use crate::features::rows::click;
use crate::features::rows::click::Act;
use crate::features::rows::code;

pub fn block(language: &str, text: &str) -> Element {
    thread_local! {
        static EMPTY: Element = empty();
    }
    let frame = EMPTY.with(copy);
    if let (Some(bar), Some(area)) = (frame.first_element_child(), frame.last_element_child()) {
        let _ = bar.insert_before(&with_text("span", "code-language", language), bar.first_child().as_ref());
        add(&area, &code::element(language, text));
    }
    frame
}

fn empty() -> Element {
    let (frame, bar, area) = (with_class("div", "code-block"), with_class("div", "code-bar"), element("pre"));
    let button = with_text("button", "button quiet", "Copy");
    set(&button, "type", "button");
    click::name(&button, Act::CopyCode);
    add(&bar, &button);
    set(&area, "tabindex", "0");
    add(&frame, &bar);
    add(&frame, &area);
    frame
}

/// The text of a block, as an element of its own.
pub fn text_of(frame: &Element) -> Option<Element> {
    frame.last_element_child()?.first_element_child()
}
