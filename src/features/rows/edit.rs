//! A message of the person's in a field, in the place where it stands. What was said stays: the new words begin another
//! session.

use leptos::prelude::*;
use web_sys::Element;

use super::entry::Entry;
use crate::dom::element::{mark, with_class};
use crate::dom::keyed_list::{Mounted, Mounting};
use crate::widgets::message_editor::MessageEditor;

pub struct MessageEdit {
    /// The text as it was said, hidden meanwhile.
    text: Element,
    mounting: Mounting,
    open: Option<Mounted>,
}

impl MessageEdit {
    pub fn beside(text: &Element) -> Self {
        Self { text: text.clone(), mounting: Mounting::here(), open: None }
    }

    /// Opens or closes the field, as the person has chosen.
    pub fn show(&mut self, entry: &Entry) {
        let wanted = entry.actions.client.message_edit.is_open(&entry.session.id(), entry.row.id());
        if wanted == self.open.is_some() {
            return;
        }
        mark(&self.text, "hidden", wanted.then_some(""));
        if let Some(open) = self.open.take() {
            return open.place.remove();
        }
        let place = with_class("div", "rewriting");
        let next = self.text.next_sibling();
        let _ = self.text.parent_node().map(|parent| parent.insert_before(&place, next.as_ref()));
        let entry = entry.clone();
        self.open = Some(self.mounting.mount(place, move || editor(entry)));
    }
}

fn editor(entry: Entry) -> AnyView {
    let (actions, session) = (entry.actions, entry.session);
    let rewriting = actions.client.message_edit;
    let row = entry.row;
    let save = move || {
        let images = session.peek(&row, |message| message.images.clone());
        actions.resend(session, row.position(), rewriting.text(), images);
    };
    view! {
        <MessageEditor
            label="Message"
            name="message"
            text=rewriting.text()
            yes="Resend"
            write=Box::new(move |text| rewriting.write(text))
            save=Callback::new(move |()| save())
            cancel=Callback::new(move |()| rewriting.end())
        />
    }
    .into_any()
}
