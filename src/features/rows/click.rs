//! What can be done with rows. A button carries the name of its act, and one listener of the timeline does what was
//! clicked: rows come and go by the dozen, and hold no listeners of their own.

use std::time::Duration;

use leptos::prelude::*;
use pilothouse_core::UiMessage;
use wasm_bindgen::JsCast;
use web_sys::{Element, MouseEvent};

use super::entry::Entry;
use super::{code, markdown};
use crate::actions::Actions;
use crate::browser::clipboard;
use crate::dom::element;
use crate::dom::element::{add, set, with_class, with_text};
use crate::routes;
use crate::store::server::Session;
use crate::widgets::icon::Icon;

/// Where a button keeps the name of its act.
const ACT: &str = "data-act";

/// How long it says that something was copied.
const MOMENT: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Opens what is closed, and closes it again.
    Open,
    Copy,
    CopyLink,
    CopyCode,
    Edit,
    Fork,
    TakeBack,
    Retry,
    StopShell,
    /// Looks at a picture in full.
    View,
}

const ACTS: [(Act, &str); 10] = [
    (Act::Open, "open"),
    (Act::Copy, "copy"),
    (Act::CopyLink, "copy-link"),
    (Act::CopyCode, "copy-code"),
    (Act::Edit, "edit"),
    (Act::Fork, "fork"),
    (Act::TakeBack, "take-back"),
    (Act::Retry, "retry"),
    (Act::StopShell, "stop-shell"),
    (Act::View, "view"),
];

/// Says what a button is for.
pub fn name(button: &Element, act: Act) {
    if let Some((_, name)) = ACTS.iter().find(|(other, _)| *other == act) {
        set(button, ACT, name);
    }
}

/// A button with words on it.
pub fn button(act: Act, class: &str, icon: Icon, words: &str) -> Element {
    let button = with_text("button", class, words);
    set(&button, "type", "button");
    set(&button, "data-icon", icon.name());
    name(&button, act);
    button
}

/// What can be done with a message, when it is looked at: copying it, copying its address, and what its kind adds.
pub fn of_message(others: &[Element]) -> Element {
    thread_local! {
        static OF_ALL: Element = {
            let place = with_class("div", "row-actions");
            add(&place, &small(Act::Copy, Icon::Copy, "Copy this message", ""));
            add(&place, &small(Act::CopyLink, Icon::Link, "Copy a link to this message", ""));
            place
        };
    }
    let place = OF_ALL.with(element::copy);
    others.iter().for_each(|other| add(&place, other));
    place
}

/// An icon alone; what it does beyond its name is its title.
pub fn small(act: Act, icon: Icon, label: &str, title: &str) -> Element {
    let button = with_class("button", "button icon-only quiet row-action icon-before");
    set(&button, "type", "button");
    set(&button, "data-icon", icon.name());
    set(&button, "aria-label", label);
    set(&button, "title", if title.is_empty() { label } else { title });
    name(&button, act);
    button
}

/// Copies what a row says that is no message.
pub fn copies_output() -> Element {
    small(Act::Copy, Icon::Copy, "Copy the output", "")
}

/// What is copied of a row: what it says, to the letter.
fn said(message: &UiMessage) -> String {
    match (&message.tool_step, &message.bash_result) {
        (Some(step), _) => step.result.clone().unwrap_or_default(),
        (_, Some(bash)) => bash.output.clone(),
        _ => message.text.clone(),
    }
}

/// Does what was clicked somewhere in the timeline.
pub fn on_click(actions: Actions, session: Session, event: &MouseEvent) {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some(button) = target.and_then(|target| closest(&target, &format!("[{ACT}]"))) else { return };
    let named = button.get_attribute(ACT).unwrap_or_default();
    let Some((act, _)) = ACTS.iter().find(|(_, name)| *name == named) else { return };
    let row = closest(&button, "[data-message-id]").and_then(|row| row.get_attribute("data-message-id"));
    if let Some(row) = row.and_then(|id| session.row(&id)) {
        Entry { actions, session, row }.act(*act, &button);
    }
}

impl Entry {
    fn act(&self, act: Act, button: &Element) {
        let (actions, session) = (self.actions, self.session);
        let text = |message: &UiMessage| message.text.clone();
        match act {
            Act::Open => self.toggle(),
            Act::Copy => copy(button, &session.peek(&self.row, said)),
            Act::CopyLink => copy(button, &routes::message_address(&session.id(), self.row.position())),
            Act::CopyCode => {
                let code = closest(button, ".code-block").and_then(|block| markdown::code_of(&block));
                copy_in_words(button, &code.map(|code| code::text(&code)).unwrap_or_default());
            }
            // What was written in the field so far stays.
            Act::Edit if untrack(|| actions.client.message_edit.is_open(&session.id(), self.row.id())) => {}
            Act::Edit => {
                actions.client.message_edit.begin(
                    &session.id(),
                    self.row.id(),
                    session.peek(&self.row, text),
                );
            }
            Act::Fork => {
                let images = session.peek(&self.row, |message| message.images.clone());
                actions.fork(session, self.row.position(), images);
            }
            Act::TakeBack => {
                let (text, images) =
                    session.peek(&self.row, |message| (message.text.clone(), message.images.clone()));
                actions.take_back(session, self.row.id(), text, images);
            }
            Act::Retry => actions.retry(session),
            Act::StopShell => actions.stop_shell(session),
            Act::View => {
                let image = button.first_element_child();
                actions.client.viewed.set(image.and_then(|image| image.get_attribute("src")));
            }
        }
    }
}

fn closest(element: &Element, selector: &str) -> Option<Element> {
    element.closest(selector).ok().flatten()
}

/// Copies a text; the button's face says for a moment that it did.
fn copy(button: &Element, text: &str) {
    let before = ["data-icon", "aria-label", "title"].map(|name| (name, button.get_attribute(name)));
    // Clicked again within that moment, it has another face than its own.
    let is_own = before[0].1.as_deref().is_some_and(|icon| icon == "copy" || icon == "link");
    let button = button.clone();
    clipboard::copy(text, move |done| {
        let (icon, words) = outcome(done);
        for (name, value) in [("data-icon", icon.name()), ("aria-label", words), ("title", words)] {
            set(&button, name, value);
        }
        if is_own {
            let back = move || {
                before
                    .iter()
                    .for_each(|(name, value)| set(&button, name, value.as_deref().unwrap_or_default()))
            };
            set_timeout(back, MOMENT);
        }
    });
}

/// The same for a button with words on it.
fn copy_in_words(button: &Element, text: &str) {
    let button = button.clone();
    clipboard::copy(text, move |done| {
        button.set_text_content(Some(if done { "Copied" } else { "Not allowed" }));
        set_timeout(move || button.set_text_content(Some("Copy")), MOMENT);
    });
}

const fn outcome(done: bool) -> (Icon, &'static str) {
    if done { (Icon::Check, "Copied") } else { (Icon::Alert, "The browser does not allow it") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_act_has_a_name_of_its_own() {
        for (index, (act, name)) in ACTS.iter().enumerate() {
            let same = ACTS.iter().position(|other| other.0 == *act || other.1 == *name);
            assert_eq!(same, Some(index), "{act:?}");
        }
    }
}
