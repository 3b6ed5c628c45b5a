//! The actions of rows and their buttons. A button carries its action's name in an attribute, and one click listener on the
//! timeline performs the action: rows are built and dropped by the dozen, so they have no listeners of their own.

use std::time::Duration;

use leptos::prelude::*;
use pilothouse_core::UiMessage;
use wasm_bindgen::JsCast;
use web_sys::{Element, MouseEvent};

use super::context::RowContext;
use super::{code, markdown};
use crate::actions::Actions;
use crate::actions::branches::route_of;
use crate::browser::clipboard;
use crate::dom::element;
use crate::dom::element::{append, set, with_class, with_text};
use crate::routes;
use crate::store::server::Session;
use crate::widgets::icon::Icon;

/// The attribute with the name of a button's action.
const ATTRIBUTE: &str = "data-act";

/// How long a copy button shows its result.
const FEEDBACK_TIME: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowAction {
    /// Expands or collapses the row.
    Toggle,
    Copy,
    CopyLink,
    CopyCode,
    Edit,
    Fork,
    /// Moves a refused message back to the composer.
    TakeBack,
    Retry,
    StopShell,
    /// Opens an image in the image viewer.
    ViewImage,
}

const NAMES: [(RowAction, &str); 10] = [
    (RowAction::Toggle, "open"),
    (RowAction::Copy, "copy"),
    (RowAction::CopyLink, "copy-link"),
    (RowAction::CopyCode, "copy-code"),
    (RowAction::Edit, "edit"),
    (RowAction::Fork, "fork"),
    (RowAction::TakeBack, "take-back"),
    (RowAction::Retry, "retry"),
    (RowAction::StopShell, "stop-shell"),
    (RowAction::ViewImage, "view"),
];

/// Sets the action of a button.
pub fn set_action(button: &Element, action: RowAction) {
    if let Some((_, name)) = NAMES.iter().find(|(other, _)| *other == action) {
        set(button, ATTRIBUTE, name);
    }
}

/// A button with a text and an icon.
pub fn text_button(action: RowAction, class: &str, icon: Icon, text: &str) -> Element {
    let button = with_text("button", class, text);
    set(&button, "type", "button");
    set(&button, "data-icon", icon.name());
    set_action(&button, action);
    button
}

/// The buttons of a message: Copy, Copy link, and those of its kind. The common buttons are cloned from a template.
pub fn message_actions(others: &[Element]) -> Element {
    thread_local! {
        /// Created once per page and only cloned. A cache, not state.
        static TEMPLATE: Element = {
            let container = with_class("div", "row-actions");
            append(&container, &icon_button(RowAction::Copy, Icon::Copy, "Copy message", ""));
            append(&container, &icon_button(RowAction::CopyLink, Icon::Link, "Copy link to message", ""));
            container
        };
    }
    let container = TEMPLATE.with(element::clone_deep);
    others.iter().for_each(|other| append(&container, other));
    container
}

/// A button with an icon only. The label is also the title, unless that is given.
pub fn icon_button(action: RowAction, icon: Icon, label: &str, title: &str) -> Element {
    let button = with_class("button", "button icon-only quiet row-action icon-before");
    set(&button, "type", "button");
    set(&button, "data-icon", icon.name());
    set(&button, "aria-label", label);
    set(&button, "title", if title.is_empty() { label } else { title });
    set_action(&button, action);
    button
}

/// The button that copies the output of a tool or shell command.
pub fn copy_output_button() -> Element {
    icon_button(RowAction::Copy, Icon::Copy, "Copy output", "")
}

/// The text that the Copy button of a row copies.
fn copied_text(message: &UiMessage) -> String {
    match (&message.tool_step, &message.bash_result) {
        (Some(step), _) => step.result.clone().unwrap_or_default(),
        (_, Some(bash)) => bash.output.clone(),
        _ => message.text.clone(),
    }
}

/// Performs the action of the clicked button.
pub fn on_click(actions: Actions, session: Session, event: &MouseEvent) {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some(button) = target.and_then(|target| closest(&target, &format!("[{ATTRIBUTE}]"))) else { return };
    let attribute = button.get_attribute(ATTRIBUTE).unwrap_or_default();
    let Some((action, _)) = NAMES.iter().find(|(_, name)| *name == attribute) else { return };
    let row = closest(&button, "[data-message-id]").and_then(|row| row.get_attribute("data-message-id"));
    if let Some(row) = row.and_then(|id| session.row(&id)) {
        RowContext { actions, session, row }.perform(*action, &button);
    }
}

impl RowContext {
    fn perform(&self, action: RowAction, button: &Element) {
        let (actions, session) = (self.actions, self.session);
        let text = |message: &UiMessage| message.text.clone();
        match action {
            RowAction::Toggle => self.toggle(),
            RowAction::Copy => copy(button, &session.read_untracked(&self.row, copied_text)),
            RowAction::CopyLink => {
                copy(button, &routes::message_address(&route_of(session), self.row.position()));
            }
            RowAction::CopyCode => {
                let code = closest(button, ".code-block").and_then(|block| markdown::code_element(&block));
                copy_with_text_feedback(button, &code.map(|code| code::text(&code)).unwrap_or_default());
            }
            // A second click must not discard the text that was typed so far.
            RowAction::Edit
                if untrack(|| actions.client.message_edit.is_open(&session.id(), self.row.id())) => {}
            RowAction::Edit => {
                actions.client.message_edit.begin(
                    &session.id(),
                    self.row.id(),
                    session.read_untracked(&self.row, text),
                );
            }
            RowAction::Fork => {
                let images = session.read_untracked(&self.row, |message| message.images.clone());
                actions.fork(session, self.row.position(), images);
            }
            RowAction::TakeBack => {
                let (text, images) = session
                    .read_untracked(&self.row, |message| (message.text.clone(), message.images.clone()));
                actions.return_to_composer(session, self.row.id(), text, images);
            }
            RowAction::Retry => actions.retry(session),
            RowAction::StopShell => actions.stop_shell(session),
            RowAction::ViewImage => {
                let image = button.first_element_child();
                actions.client.viewed.set(image.and_then(|image| image.get_attribute("src")));
            }
        }
    }
}

fn closest(element: &Element, selector: &str) -> Option<Element> {
    element.closest(selector).ok().flatten()
}

/// Copies text, and shows the result in the button's icon and label for a moment.
fn copy(button: &Element, text: &str) {
    let before = ["data-icon", "aria-label", "title"].map(|name| (name, button.get_attribute(name)));
    // On a second click within that moment the button shows the result, which must not be restored later.
    let is_original = before[0].1.as_deref().is_some_and(|icon| icon == "copy" || icon == "link");
    let button = button.clone();
    clipboard::copy(text, move |done| {
        let (icon, label) = copy_feedback(done);
        for (name, value) in [("data-icon", icon.name()), ("aria-label", label), ("title", label)] {
            set(&button, name, value);
        }
        if is_original {
            let restore = move || {
                before
                    .iter()
                    .for_each(|(name, value)| set(&button, name, value.as_deref().unwrap_or_default()))
            };
            set_timeout(restore, FEEDBACK_TIME);
        }
    });
}

/// Copies text, and shows the result as the button's text for a moment.
fn copy_with_text_feedback(button: &Element, text: &str) {
    let button = button.clone();
    clipboard::copy(text, move |done| {
        button.set_text_content(Some(if done { "Copied" } else { "Couldn't copy" }));
        set_timeout(move || button.set_text_content(Some("Copy")), FEEDBACK_TIME);
    });
}

const fn copy_feedback(done: bool) -> (Icon, &'static str) {
    if done { (Icon::Check, "Copied") } else { (Icon::Alert, "Couldn't copy: blocked by the browser") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_has_a_unique_name() {
        for (index, (action, name)) in NAMES.iter().enumerate() {
            let same = NAMES.iter().position(|other| other.0 == *action || other.1 == *name);
            assert_eq!(same, Some(index), "{action:?}");
        }
    }
}
