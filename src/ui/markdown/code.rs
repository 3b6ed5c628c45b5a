//! Blocks of code: a bar with the language and a button that copies, and the text below it.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, MouseEvent};

use super::build::{add, element, set, with_text};
use crate::browser::texts;
use crate::ui::code_text;

pub fn block(language: &str, text: &str) -> Element {
    let (frame, bar, area) = (element("div"), element("div"), element("pre"));
    frame.set_class_name("code-block");
    bar.set_class_name("code-bar");
    add(&bar, &with_text("span", "code-language", language));
    let copy = with_text("button", "button quiet", "Copy");
    set(&copy, "type", "button");
    set(&copy, "data-copy", "");
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

/// One listener for all buttons of a row, since blocks come and go.
pub fn copy_on_click(event: MouseEvent) {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some(button) = target.and_then(|target| target.closest("[data-copy]").ok().flatten()) else { return };
    let frame = button.closest(".code-block").ok().flatten();
    let Some(code) = frame.and_then(|frame| text_of(&frame)) else { return };
    texts::copy(&code_text::text(&code), move |done| {
        button.set_text_content(Some(if done { "Copied" } else { "Not allowed" }));
        set_timeout(move || button.set_text_content(Some("Copy")), std::time::Duration::from_secs(2));
    });
}
