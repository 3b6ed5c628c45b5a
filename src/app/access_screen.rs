//! The screen for a browser without access: it explains how to get in and accepts a link.

use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::Element;

use crate::actions::{Actions, use_actions};
use crate::browser::field_value;
use crate::dom::build::{glyph, on, with_attributes, with_children};
use crate::dom::element::{append, set, toggle_attribute, with_text};
use crate::dom::keyed_list::render_effect;
use crate::net::access;
use crate::net::access::Access;
use crate::widgets::icon::Icon;
use crate::widgets::lazy_part::{lazy_part, lazy_view};

pub fn access_screen() -> AnyView {
    let actions = use_actions();
    // Another tab of this browser may get access.
    let stored = window_event_listener(ev::storage, move |_| spawn_local(enter_if_granted(actions)));
    on_cleanup(move || stored.remove());
    lazy_view(form_builder)
}

async fn enter_if_granted(actions: Actions) {
    let access = access::check().await;
    if access == Access::Granted {
        actions.set_access(access);
    }
}

lazy_part!(form_builder in access: fn(&Element) = build);

/// The form that exchanges a pasted link for access.
fn build(place: &Element) {
    let actions = use_actions();
    let brand = with_children("h1", "brand", &[&glyph(Icon::Wheel)]);
    append(&brand, &document().create_text_node("Pilothouse"));
    let reason = with_text("p", "access-reason", "");
    let label = with_text("label", "", "Link");
    set(&label, "for", "link");
    let field = with_attributes(
        "input",
        &[
            ("id", "link"),
            ("name", "link"),
            ("type", "password"),
            ("autocomplete", "off"),
            ("spellcheck", "false"),
            ("aria-describedby", "link-problem"),
        ],
    );
    let submit = with_text("button", "button primary", "Continue");
    set(&submit, "type", "submit");
    let problem = with_attributes("p", &[("id", "link-problem"), ("class", "problem"), ("role", "alert")]);
    let row = with_children("div", "field-row", &[&field, &submit]);
    let form = with_children("form", "access-form", &[&label, &row, &problem]);
    on(&form, "submit", move |event| {
        event.prevent_default();
        let link = field_value(&field);
        if link.trim().is_empty() || submit.has_attribute("disabled") {
            return;
        }
        toggle_attribute(&submit, "disabled", Some(""));
        problem.set_text_content(None);
        let (submit, problem) = (submit.clone(), problem.clone());
        spawn_local(async move {
            let access = access::pair(&link).await;
            toggle_attribute(&submit, "disabled", None);
            match access {
                Access::Granted => actions.set_access(access),
                Access::Denied(reason) => problem.set_text_content(Some(&reason)),
                Access::Unknown => problem
                    .set_text_content(Some("The server isn't responding. Check that pilothouse is running.")),
            }
        });
    });
    let card = with_children("div", "access-card", &[&brand, &reason, &how_to_get_a_link(), &form]);
    append(place, &with_children("main", "access", &[&card]));
    render_effect(Box::new(move || {
        if let Some(Access::Denied(text)) = actions.client.access.get() {
            reason.set_text_content(Some(&text));
        }
    }));
}

fn how_to_get_a_link() -> Element {
    let text = with_text("p", "", "");
    for (tag, words) in [
        ("span", "Open a link that gives access, or paste it here. "),
        ("code", "pilothouse"),
        ("span", " prints one when it starts, and "),
        ("code", "pilothouse link"),
        ("span", " another one. A device that has access finds one in its settings, under Devices."),
    ] {
        append(&text, &with_text(tag, "", words));
    }
    text
}
