//! Keyboard focus. When the focused element disappears, browsers leave focus nowhere; this module moves it to
//! the next sensible element.

use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::browser;

/// The delay before focus is checked again after a key, whose effect may need a response from the server.
const RECHECK_DELAY: Duration = Duration::from_millis(300);

/// The selector of the composer's text field.
pub const COMPOSER: &str = "textarea[name=prompt]";

/// Candidates for lost focus: the first one that exists receives it.
const FALLBACKS: [&str; 4] =
    ["dialog[open] button", COMPOSER, "main input[type=radio]:checked", "main button:enabled"];

/// Restores focus after each key press that made the focused element disappear, as long as the current owner
/// lives.
pub fn restore_when_lost() {
    let last_focused = StoredValue::new_local(None::<HtmlElement>);
    let on_focusin = window_event_listener(leptos::ev::focusin, move |event| {
        last_focused.set_value(event.target().and_then(|target| target.dyn_into().ok()));
    });
    let restore = move || {
        let gone = last_focused.try_with_value(|last| last.as_ref().is_some_and(is_gone)).unwrap_or_default();
        if gone && is_lost() {
            FALLBACKS.into_iter().any(focus);
        }
    };
    let on_keydown = window_event_listener(leptos::ev::keydown, move |_| {
        request_animation_frame(restore);
        set_timeout(restore, RECHECK_DELAY);
    });
    on_cleanup(move || {
        on_focusin.remove();
        on_keydown.remove();
    });
}

/// Removes focus from an element of the current screen.
pub fn blur_in_main() {
    if let Some(element) = focused_in_main() {
        let _ = element.unchecked_into::<HtmlElement>().blur();
    }
}

/// Focuses the composer, unless another field of the screen has focus, such as the answer to a question.
/// Waits for the next frame: focusing forces a layout, and by then the screen is complete.
pub fn focus_composer() {
    request_animation_frame(|| {
        if focused_in_main().is_none_or(|focused| !focused.has_attribute("name")) {
            focus(COMPOSER);
        }
    });
}

fn focused_in_main() -> Option<Element> {
    document().active_element().filter(|focused| focused.closest("main").is_ok_and(|main| main.is_some()))
}

/// Focuses the first match of a selector in the next frame, if focus is lost by then.
pub fn focus_if_lost(selector: &'static str) {
    request_animation_frame(move || {
        if is_lost() {
            focus(selector);
        }
    });
}

/// Never on touch devices: they have no focus to lose, and focusing a field would open the on-screen
/// keyboard.
fn is_lost() -> bool {
    let somewhere = document().active_element().is_some_and(|element| element.local_name() != "body");
    !somewhere && !browser::is_touch()
}

fn is_gone(element: &HtmlElement) -> bool {
    let visible = element.offset_width() > 0 || element.offset_height() > 0;
    !visible || element.matches(":disabled").unwrap_or_default()
}

/// Focuses the first match of a selector. Returns false if there is none.
pub fn focus(selector: &str) -> bool {
    let found: Option<Element> = document().query_selector(selector).ok().flatten();
    found.is_some_and(|element| element.unchecked_into::<HtmlElement>().focus().is_ok())
}
