//! Blocks of code: a bar with the language and a button that copies, and the text below it.

use web_sys::Element;

use super::build::{add, element, set, with_text};
use crate::ui::code_text;
use crate::ui::rows::acts::{self, Act};

pub fn block(language: &str, text: &str) -> Element {
    let (frame, bar, area) = (element("div"), element("div"), element("pre"));
    frame.set_class_name("code-block");
    bar.set_class_name("code-bar");
    add(&bar, &with_text("span", "code-language", language));
    let copy = with_text("button", "button quiet", "Copy");
    set(&copy, "type", "button");
    acts::name(&copy, Act::CopyCode);
    add(&bar, &copy);
    set(&area, "tabindex", "0");
    add(&area, &code_text::element(language, text));
    add(&frame, &bar);
    add(&frame, &area);
    frame
}

/// The text of a block, as an element of its own.
pub fn text_of(frame: &Element) -> Option<Element> {
    frame.last_element_child()?.first_element_child()
}
