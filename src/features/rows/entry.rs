//! A row as its form sees it: its handle, the session it belongs to, and what a person can do.

use leptos::prelude::*;
use pilothouse_core::{Kind, UiMessage};
use web_sys::Element;

use crate::actions::Actions;
use crate::dom::element::{set, with_class};
use crate::dom::keyed_list::follow;
use crate::store::server::{Row, Session};

#[derive(Clone)]
pub struct Entry {
    pub actions: Actions,
    pub session: Session,
    pub row: Row,
}

impl Entry {
    pub fn kind(&self) -> Kind {
        self.row.kind()
    }

    /// Shows the message as it is now, and again whenever it, or something else that is read meanwhile, has changed.
    pub fn follow(self, mut show: impl FnMut(&Self, &UiMessage) + 'static) {
        follow(Box::new(move || self.session.read(&self.row, |message| show(&self, message))));
    }

    pub fn is_live(&self) -> bool {
        self.row.is_live()
    }

    pub fn is_last(&self) -> bool {
        self.session.rows.with(|rows| rows.last() == Some(&self.row))
    }

    /// Whether the person has opened it; remembered when the session is left.
    pub fn is_open(&self) -> bool {
        self.actions.client.reading_positions.is_open(&self.session.id(), self.row.id())
    }

    pub fn toggle(&self) {
        self.actions.client.reading_positions.set_open(&self.session.id(), self.row.id(), !self.is_open());
        self.row.tell();
    }

    /// The element of the row, still empty.
    pub fn article(&self, class: &str) -> Element {
        let article = with_class("article", class);
        set(&article, "data-message-id", self.row.id());
        set(&article, "data-kind", self.kind().name());
        article
    }
}
