//! Parts of the page that are built from plain elements with listeners of their own: forms, cards and panels. Compared
//! with a `view!`, which is compiled anew for every part, they add little to the size of the page.

use std::rc::Rc;
use std::time::Duration;

use leptos::leptos_dom::helpers::set_interval_with_handle;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, Event, HtmlInputElement};

use super::element::{append, clear, element, set, with_class, with_text};
use super::keyed_list::render_effect;
use crate::browser::{self, clipboard};
use crate::routes::{self, Route};
use crate::widgets::icon::Icon;

/// Creates a `div` as part of a view and calls `build` with it, in the current owner.
pub fn hand_built(class: &'static str, build: impl Fn(&Element) + 'static) -> AnyView {
    boxed_view(class, Rc::new(build))
}

fn boxed_view(class: &'static str, build: Rc<dyn Fn(&Element)>) -> AnyView {
    let owner = Owner::current().unwrap_or_default();
    let place = move |element: Element, (): ()| owner.with(|| untrack(|| build(&element)));
    // Without an argument the directive's element would be treated as static.
    view! { <div class=class use:place=()></div> }.into_any()
}

/// Like `hand_built`, but empties the element and calls `build` again whenever a signal that it reads changes.
pub fn rebuilt(class: &'static str, build: impl Fn(&Element) + 'static) -> AnyView {
    let build: Rc<dyn Fn(&Element)> = Rc::new(build);
    hand_built(class, move |place| {
        let (place, build) = (place.clone(), build.clone());
        render_effect(Box::new(move || {
            clear(&place);
            build(&place);
        }));
    })
}

/// Creates an element with attributes.
pub fn with_attributes(tag: &str, attributes: &[(&str, &str)]) -> Element {
    let created = element(tag);
    attributes.iter().for_each(|(name, value)| set(&created, name, value));
    created
}

/// Creates an element with children.
pub fn with_children(tag: &str, class: &str, children: &[&Element]) -> Element {
    let parent = with_class(tag, class);
    children.iter().for_each(|child| append(&parent, child));
    parent
}

/// Calls `handler` for every event of this kind. The browser drops the handler together with the element.
pub fn on(element: &Element, event: &str, handler: impl FnMut(Event) + 'static) {
    listen(element, event, Box::new(handler));
}

fn listen(element: &Element, event: &str, handler: Box<dyn FnMut(Event)>) {
    let handler = Closure::wrap(handler).into_js_value();
    let _ = element.add_event_listener_with_callback(event, handler.unchecked_ref());
}

/// A button with a text, and an icon in front of it.
pub fn button(class: &str, icon: Option<Icon>, text: &str, action: impl Fn() + 'static) -> Element {
    let button = with_attributes("button", &[("type", "button"), ("class", class)]);
    icon.iter().for_each(|icon| append(&button, &glyph(*icon)));
    append(&button, &document().create_text_node(text));
    on(&button, "click", move |_| action());
    button
}

/// A button with an icon only.
pub fn icon_button(class: &str, icon: Icon, label: &str, action: impl Fn() + 'static) -> Element {
    let button = button(class, Some(icon), "", action);
    set(&button, "aria-label", label);
    set(&button, "title", label);
    button
}

/// An icon, hidden from screen readers.
pub fn glyph(icon: Icon) -> Element {
    with_attributes("span", &[("class", "icon"), ("data-icon", icon.name()), ("aria-hidden", "true")])
}

/// A switch of a menu.
pub fn switch(label: &str, is_on: impl Fn() -> bool + 'static, toggle: impl Fn() + 'static) -> Element {
    let mark = with_attributes("span", &[("class", "switch-mark"), ("aria-hidden", "true")]);
    let switch = button("menu-item switch", None, "", toggle);
    set(&switch, "role", "switch");
    append(&switch, &mark);
    append(&switch, &document().create_text_node(label));
    let shown = switch.clone();
    render_effect(Box::new(move || set(&shown, "aria-checked", if is_on() { "true" } else { "false" })));
    switch
}

/// A disclosure: a summary that shows and hides the rest. The browser handles keys and state.
pub fn disclosure(class: &str, summary: &str) -> Element {
    with_children("details", class, &[&with_text("summary", "", summary)])
}

/// A command in a box, with a button that copies it.
pub fn command_box(command: &str) -> Element {
    let copied = command.to_owned();
    let label = Rc::new(with_text("span", "", "Copy"));
    let feedback = label.clone();
    let copy = button("button quiet", Some(Icon::Copy), "", move || {
        let label = feedback.clone();
        clipboard::copy(&copied, move |done| {
            label.set_text_content(Some(if done { "Copied" } else { "Couldn't copy" }));
            set_timeout(move || label.set_text_content(Some("Copy")), Duration::from_secs(2));
        });
    });
    append(&copy, &label);
    with_children("div", "command-box", &[&with_text("code", "", command), &copy])
}

/// A link to another screen of the page.
pub fn link(class: &str, route: &Route, text: &str) -> Element {
    let link = with_text("a", class, text);
    set(&link, "href", &routes::path_of(route));
    link
}

/// A link to another site, in a new tab. Only web addresses become links; others are shown as text.
pub fn outside_link(class: &str, address: &str, text: &str) -> Element {
    if !address.starts_with("https://") && !address.starts_with("http://") {
        return with_text("code", "", address);
    }
    let link = with_text("a", class, text);
    for (name, value) in [("href", address), ("target", "_blank"), ("rel", "noopener noreferrer")] {
        set(&link, name, value);
    }
    link
}

/// The value of an input, textarea or select that fired an event.
pub fn event_value(event: &Event) -> String {
    event.target().map(|field| browser::field_value(field.unchecked_ref())).unwrap_or_default()
}

/// Whether the checkbox or radio button that fired an event is checked.
pub fn event_checked(event: &Event) -> bool {
    event.target().is_some_and(|field| field.unchecked_ref::<HtmlInputElement>().checked())
}

/// Sets the value of an input, textarea or select, unless it has it: setting it moves the caret.
pub fn set_value(field: &Element, value: &str) {
    if browser::field_value(field) != value {
        // The property has the same name in all of these elements.
        field.unchecked_ref::<HtmlInputElement>().set_value(value);
    }
}

pub fn set_checked(field: &Element, checked: bool) {
    field.unchecked_ref::<HtmlInputElement>().set_checked(checked);
}

/// A line about work in progress, with the seconds since this call and a button that ends it. Screen readers hear the words
/// once, not the seconds.
pub fn progress(words: &str, cancel: impl Fn() + 'static) -> Element {
    let said = with_text("span", "", words);
    set(&said, "role", "status");
    let counter = with_attributes("span", &[("aria-hidden", "true")]);
    let cancel = button("button", None, "Cancel", cancel);
    let seconds = elapsed_seconds();
    let shown = counter.clone();
    render_effect(Box::new(move || shown.set_text_content(Some(&format!("{} s", seconds.get())))));
    with_children("div", "progress", &[&glyph(Icon::Spinner), &said, &counter, &cancel])
}

/// The seconds since this call, updated every second as long as the current owner lives.
pub fn elapsed_seconds() -> RwSignal<u64> {
    let (seconds, start) = (RwSignal::new(0), browser::now());
    let update = move || {
        seconds.try_set(((browser::now() - start) / 1_000.0) as u64);
    };
    if let Ok(interval) = set_interval_with_handle(update, Duration::from_secs(1)) {
        on_cleanup(move || interval.clear());
    }
    seconds
}
