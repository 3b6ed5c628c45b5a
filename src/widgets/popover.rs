//! A button with a popover. The browser closes it on Escape, on a click elsewhere and when another one opens.

use std::sync::atomic::{AtomicU64, Ordering};

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::browser;

static NEXT_ID: AtomicU64 = AtomicU64::new(0);

/// A button and the popover it opens. The children are rendered while it is open.
#[component]
pub fn Popover(
    /// The accessible name of the button and of the popover.
    label: &'static str,
    /// The classes of the button.
    class: &'static str,
    /// The content of the button.
    face: ViewFn,
    /// The classes of the popover.
    panel_class: &'static str,
    /// The ARIA role of the popover.
    role: &'static str,
    /// Whether the button's content names it, so that it needs no `aria-label`.
    #[prop(optional)]
    has_text: bool,
    children: ChildrenFn,
) -> impl IntoView {
    let id = format!("popover-{}", NEXT_ID.fetch_add(1, Ordering::Relaxed));
    let open = RwSignal::new(false);
    let panel_id = id.clone();
    let position = move |event: leptos::ev::MouseEvent| {
        let button = event.current_target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
        if let (Some(button), Some(panel)) = (button, document().get_element_by_id(&panel_id)) {
            position_beside(&button, &panel.unchecked_into());
        }
    };
    let on_toggle = move |event: leptos::ev::Event| open.set(focus_if_opened(&event));
    view! {
        <button
            type="button"
            class=class
            aria-label=(!has_text).then_some(label)
            title=label
            aria-haspopup=role
            popovertarget=id.clone()
            on:click=position
        >
            {face.run()}
        </button>
        <div id=id class=format!("popover {panel_class}") popover="auto" role=role aria-label=label on:toggle=on_toggle on:keydown=move_menu_focus>
            <Show when=move || open.get()>{children()}</Show>
        </div>
    }
}

/// Returns whether a `toggle` event opened its popover. If so, moves focus into it once its content is rendered.
pub fn focus_if_opened(event: &leptos::ev::Event) -> bool {
    let panel = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
    let opened = panel.filter(|panel| panel.matches(":popover-open").unwrap_or_default());
    let is_open = opened.is_some();
    if let Some(panel) = opened {
        set_timeout(move || focus_first(&panel), std::time::Duration::ZERO);
    }
    is_open
}

/// Closes the open popover, if any.
pub fn close_popover() {
    if let Ok(Some(panel)) = document().query_selector(":popover-open") {
        let _ = panel.unchecked_into::<HtmlElement>().hide_popover();
    }
}

/// Positions a popover below or above its button, aligned with the button's side nearer to the page's edge.
pub fn position_beside(button: &HtmlElement, panel: &HtmlElement) {
    let number = |size: Result<wasm_bindgen::JsValue, _>| size.ok().and_then(|size| size.as_f64());
    let (Some(width), Some(height)) = (number(window().inner_width()), number(window().inner_height()))
    else {
        return;
    };
    let rect = button.get_bounding_client_rect();
    let pixels = |length: f64| format!("{}px", length as i32);
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
    let max_height = pixels(if below { height - rect.bottom() } else { rect.top() } - 12.0);
    let style = panel.style();
    for (name, value) in
        [("left", left), ("right", right), ("top", top), ("bottom", bottom), ("max-height", max_height)]
    {
        let _ = style.set_property(name, &value);
    }
}

fn focus_first(panel: &HtmlElement) {
    // On a touch screen a focused input would open the on-screen keyboard.
    let focusable = if browser::is_touch() { "button" } else { "input, button:not(:disabled), a" };
    if let Ok(Some(element)) = panel.query_selector(focusable) {
        let _ = element.unchecked_into::<HtmlElement>().focus();
    }
}

/// Moves focus between the items of a menu with the arrow keys.
pub fn move_menu_focus(event: leptos::ev::KeyboardEvent) {
    let forwards = match event.key().as_str() {
        "ArrowDown" => true,
        "ArrowUp" => false,
        _ => return,
    };
    let mut next = document()
        .active_element()
        .filter(|element| element.get_attribute("role").as_deref() == Some("menuitem"));
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
