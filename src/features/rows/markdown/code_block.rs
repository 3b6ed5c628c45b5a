//! Code blocks: a bar with the language and a copy button, and the code below it.

use web_sys::Element;

use crate::dom::element::{append, clone_deep, element, set, with_class, with_text};
use crate::features::rows::code;
use crate::features::rows::row_action;
use crate::features::rows::row_action::RowAction;

pub fn block(language: &str, text: &str) -> Element {
    thread_local! {
        /// Created once per page and only cloned. A cache, not state.
        static TEMPLATE: Element = template();
    }
    let frame = TEMPLATE.with(clone_deep);
    if let (Some(bar), Some(area)) = (frame.first_element_child(), frame.last_element_child()) {
        let _ = bar.insert_before(&with_text("span", "code-language", language), bar.first_child().as_ref());
        append(&area, &code::element(language, text));
    }
    frame
}

fn template() -> Element {
    let (frame, bar, area) = (with_class("div", "code-block"), with_class("div", "code-bar"), element("pre"));
    let button = with_text("button", "button quiet", "Copy");
    set(&button, "type", "button");
    row_action::set_action(&button, RowAction::CopyCode);
    append(&bar, &button);
    set(&area, "tabindex", "0");
    append(&frame, &bar);
    append(&frame, &area);
    frame
}

/// The `code` element of a block.
pub fn code_element(frame: &Element) -> Option<Element> {
    frame.last_element_child()?.first_element_child()
}
