//! The field that replaces a message of the user while it is edited. The original message stays in its session: resending
//! the edited one starts a new session.

use leptos::prelude::*;
use web_sys::Element;

use super::context::RowContext;
use crate::dom::build::with_children;
use crate::dom::element::toggle_attribute;
use crate::widgets::message_editor::MessageEditor;

pub struct InlineEditor {
    /// The element with the original text, which is hidden while the field is open.
    text: Element,
    field: Option<Element>,
}

impl InlineEditor {
    pub fn new(text: &Element) -> Self {
        Self { text: text.clone(), field: None }
    }

    /// Opens or closes the field if the client state has changed.
    pub fn update(&mut self, context: &RowContext) {
        let is_open = context.actions.client.message_edit.is_open(&context.session.id(), context.row.id());
        if is_open == self.field.is_some() {
            return;
        }
        toggle_attribute(&self.text, "hidden", is_open.then_some(""));
        if let Some(field) = self.field.take() {
            return field.remove();
        }
        let place = with_children("div", "rewriting", &[&editor(context.clone())]);
        let next = self.text.next_sibling();
        let _ = self.text.parent_node().map(|parent| parent.insert_before(&place, next.as_ref()));
        self.field = Some(place);
    }
}

fn editor(context: RowContext) -> Element {
    let (actions, session) = (context.actions, context.session);
    let edit = actions.client.message_edit;
    let row = context.row;
    let save = move || {
        let images = session.read_untracked(&row, |message| message.images.clone());
        actions.fork_and_send(session, row.position(), edit.text(), images);
    };
    let editor = MessageEditor {
        label: "Message",
        name: "message",
        text: edit.text(),
        yes: "Resend",
        write: Box::new(move |text| edit.write(text)),
        save: Callback::new(move |()| save()),
        cancel: Callback::new(move |()| edit.end()),
    };
    editor.build()
}
