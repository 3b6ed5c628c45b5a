//! A button and what it opens above everything else. The browser closes it: by Escape, by a click elsewhere, by the
//! opening of another.

use std::sync::atomic::{AtomicU64, Ordering};

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::browser;

static NEXT_ID: AtomicU64 = AtomicU64::new(0);

#[component]
pub fn Popover(
    /// What the button is called.
    label: &'static str,
    /// The classes of the button.
    class: &'static str,
    /// What stands on it.
    face: ViewFn,
    /// The classes of what opens.
    panel: &'static str,
    /// What it is to those who do not see it.
    role: &'static str,
    /// Its face has words that tell what it is called.
    #[prop(optional)]
    worded: bool,
    children: ChildrenFn,
) -> impl IntoView {
    let id = format!("popover-{}", NEXT_ID.fetch_add(1, Ordering::Relaxed));
    let open = RwSignal::new(false);
    let target = id.clone();
    let place = move |event: leptos::ev::MouseEvent| {
        let button = event.current_target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
        if let (Some(button), Some(panel)) = (button, document().get_element_by_id(&target)) {
            put_beside(&button, &panel.unchecked_into());
        }
    };
    let toggled = move |event: leptos::ev::Event| open.set(has_opened(&event));
    view! {
        <button
            type="button"
            class=class
            aria-label=(!worded).then_some(label)
            title=label
            aria-haspopup=role
            popovertarget=id.clone()
            on:click=place
        >
            {face.run()}
        </button>
        <div id=id class=format!("popover {panel}") popover="auto" role=role aria-label=label on:toggle=toggled on:keydown=move_focus>
            <Show when=move || open.get()>{children()}</Show>
        </div>
    }
}

/// Whether what was toggled is open now; then the keyboard goes to it, once its content stands there.
pub fn has_opened(event: &leptos::ev::Event) -> bool {
    let panel = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
    let opened = panel.filter(|panel| panel.matches(":popover-open").unwrap_or_default());
    let is_open = opened.is_some();
    if let Some(panel) = opened {
        set_timeout(move || focus_first(&panel), std::time::Duration::ZERO);
    }
    is_open
}

/// Closes what is open, if something is.
pub fn close_popover() {
    if let Ok(Some(panel)) = document().query_selector(":popover-open") {
        let _ = panel.unchecked_into::<HtmlElement>().hide_popover();
    }
}

/// Below the button or above it, in line with the side of it that is nearer to the edge of the page.
pub fn put_beside(button: &HtmlElement, panel: &HtmlElement) {
    let of_window = |size: Result<wasm_bindgen::JsValue, _>| size.ok().and_then(|size| size.as_f64());
    let (Some(width), Some(height)) = (of_window(window().inner_width()), of_window(window().inner_height()))
    else {
        return;
    };
    let rect = button.get_bounding_client_rect();
    let pixels = |number: f64| format!("{}px", number as i32);
    let auto = || "auto".to_owned();
    let (left, right) = if rect.left() < width / 2.0 {
        (pixels(rect.left()), auto())
    } else {
        (auto(), pixels(width - rect.right()))
    };
    let below = rect.bottom() < height * 0.6;
    let (top, bottom) = if below {
        (pixels(rect.bottom() + 4.0), auto())
    } else {
        (auto(), pixels(height - rect.top() + 4.0))
    };
    let room = pixels(if below { height - rect.bottom() } else { rect.top() } - 12.0);
    let style = panel.style();
    for (name, value) in
        [("left", left), ("right", right), ("top", top), ("bottom", bottom), ("max-height", room)]
    {
        let _ = style.set_property(name, &value);
    }
}

fn focus_first(panel: &HtmlElement) {
    let first = if browser::is_touch() { "button" } else { "input, button:not(:disabled), a" };
    if let Ok(Some(element)) = panel.query_selector(first) {
        let _ = element.unchecked_into::<HtmlElement>().focus();
    }
}

/// Up and down go through the items of a menu.
pub fn move_focus(event: leptos::ev::KeyboardEvent) {
    let forwards = match event.key().as_str() {
        "ArrowDown" => true,
        "ArrowUp" => false,
        _ => return,
    };
    let item = document()
        .active_element()
        .filter(|element| element.get_attribute("role").as_deref() == Some("menuitem"));
    let mut next = item;
    while let Some(element) = next {
        next = if forwards { element.next_element_sibling() } else { element.previous_element_sibling() };
        if let Some(button) =
            next.as_ref().filter(|element| element.matches("button:not(:disabled)").unwrap_or_default())
        {
            event.prevent_default();
            let _ = button.unchecked_ref::<HtmlElement>().focus();
            return;
        }
    }
}
