//! The keyboard is never lost: when what had it goes away, it goes to what comes next. Browsers leave it nowhere.

use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::browser;

/// What a key leads to may have to be asked of the server first.
const MOMENT: Duration = Duration::from_millis(300);

pub const COMPOSER: &str = "textarea[name=prompt]";

/// Where it goes if nobody says better: the first of these that is there.
const NEXT: [&str; 4] =
    ["dialog[open] button", COMPOSER, "main input[type=radio]:checked", "main button:enabled"];

/// Looks after the keyboard as long as the page stands there.
pub fn watch() {
    let last = StoredValue::new_local(None::<HtmlElement>);
    let remember = window_event_listener(leptos::ev::focusin, move |event| {
        last.set_value(event.target().and_then(|target| target.dyn_into().ok()));
    });
    let rescue = move || {
        let gone = last.try_with_value(|last| last.as_ref().is_some_and(is_gone)).unwrap_or_default();
        if gone && is_nowhere() {
            NEXT.into_iter().any(focus);
        }
    };
    let pressed = window_event_listener(leptos::ev::keydown, move |_| {
        request_animation_frame(rescue);
        set_timeout(rescue, MOMENT);
    });
    on_cleanup(move || {
        remember.remove();
        pressed.remove();
    });
}

/// Takes it from whatever has it in the screen that is left.
pub fn let_go() {
    if let Some(element) = in_main() {
        let _ = element.unchecked_into::<HtmlElement>().blur();
    }
}

/// Puts it where one writes, unless another field of this screen has it, as that of a question. With the frame that
/// shows it: the browser lays out the page for it, and all of it is there by then.
pub fn to_composer() {
    request_animation_frame(|| {
        if in_main().is_none_or(|here| !here.has_attribute("name")) {
            focus(COMPOSER);
        }
    });
}

fn in_main() -> Option<Element> {
    document().active_element().filter(|here| here.closest("main").is_ok_and(|main| main.is_some()))
}

/// Puts it here once the page has changed, if it is nowhere then.
pub fn or_at(selector: &'static str) {
    request_animation_frame(move || {
        if is_nowhere() {
            focus(selector);
        }
    });
}

/// Somebody who touches the screen has no keyboard to lose, and would get one.
fn is_nowhere() -> bool {
    let somewhere = document().active_element().is_some_and(|element| element.local_name() != "body");
    !somewhere && !browser::is_touch()
}

fn is_gone(element: &HtmlElement) -> bool {
    let shown = element.offset_width() > 0 || element.offset_height() > 0;
    !shown || element.matches(":disabled").unwrap_or_default()
}

pub fn focus(selector: &str) -> bool {
    let found: Option<Element> = document().query_selector(selector).ok().flatten();
    found.is_some_and(|element| element.unchecked_into::<HtmlElement>().focus().is_ok())
}
