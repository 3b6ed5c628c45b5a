//! Auto-approve: a button that shows the level, and a popover to choose another one.

use std::rc::Rc;

use leptos::prelude::*;
use pilothouse_core::conversation::ask::auto_approve::AutoApprove;
use pilothouse_core::protocol::SessionMetaStoreFields;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

use crate::actions::{Actions, use_actions};
use crate::browser;
use crate::dom::build::{button, event_checked, hand_built, on, set_checked, with_attributes, with_children};
use crate::dom::element::{append, set, with_text};
use crate::dom::keyed_list::render_effect;
use crate::features::sidebar::session_label::level_name;
use crate::reactive::memo;
use crate::store::server::Session;
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::popover::Popover;

/// The button, which is a warning while approvals are answered automatically.
pub fn auto_approve_control(session: Session) -> AnyView {
    let actions = use_actions();
    let level = memo(move || session.meta.auto_approve().get());
    let warns = move || session.meta.state().get().show_auto_mode_warning(level.get().is_on());
    let face = move || {
        view! {
            <Glyph icon=Icon::Shield />
            <span class="auto-words" class:visually-hidden=move || !level.get().is_on() data-warning=move || warns().then_some("")>
                "Auto"<span class="wide-words">"-approve: " {move || level.get().label()}</span>
            </span>
        }
    };
    view! {
        <Popover label="Auto-approve" class="button quiet title-choice auto-approve" face=face.into() panel_class="levels" role="dialog" has_text=true>
            {hand_built("", move |place| build(place, actions, session))}
        </Popover>
    }
    .into_any()
}

fn build(place: &Element, actions: Actions, session: Session) {
    append(place, &with_text("h2", "context-title", "Auto-approve"));
    let key = if browser::is_mac() { "⌥ Shift A" } else { "Alt+Shift+A" };
    let words = format!("Answers the agent's requests for approval without asking you. {key} turns it off.");
    append(place, &with_text("p", "faint", &words));
    let remember = with_attributes("input", &[("type", "checkbox"), ("name", "remember")]);
    let remembered = Rc::new(remember.clone());
    for level in AutoApprove::ALL {
        let remembered = remembered.clone();
        // Buttons and not radio buttons, which the arrow keys would apply while the user only looks at them.
        let choose = button("menu-item level", Some(Icon::Check), "", move || {
            let remember = remembered.unchecked_ref::<HtmlInputElement>().checked();
            actions.set_auto_approve(session, level, Some(remember));
        });
        set(&choose, "data-level", level_name(level));
        let words = with_text("span", "", level.label());
        append(&words, &with_text("span", "faint", description(level)));
        append(&choose, &words);
        append(place, &choose);
        render_effect(Box::new(move || {
            let is_chosen = session.meta.auto_approve().get() == level;
            set(&choose, "aria-pressed", if is_chosen { "true" } else { "false" });
        }));
    }
    let shown = remember.clone();
    render_effect(Box::new(move || {
        set_checked(&shown, session.meta.folder_auto_approve().get().is_on());
    }));
    let words = with_text("span", "", "Also for new sessions in this folder");
    let row = with_children("label", "form-option", &[&remember, &words]);
    set(&row, "data-remember", "");
    append(place, &row);
    on(&remember, "change", move |event| {
        let level = session.meta.auto_approve().get_untracked();
        actions.set_auto_approve(session, level, Some(event_checked(&event)));
    });
}

const fn description(level: AutoApprove) -> &'static str {
    match level {
        AutoApprove::Off => "Every request waits for your answer.",
        AutoApprove::Reading => "Approves reading and searching files in this folder.",
        AutoApprove::Edits => "Also approves edits of files in this folder.",
        AutoApprove::Everything => "Approves every request, including shell commands.",
    }
}
