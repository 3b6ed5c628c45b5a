//! What a row needs to render itself: its handle, its session, and the page's actions. Also what all rows show.

use leptos::prelude::*;
use pilothouse_core::conversation::limit;
use pilothouse_core::{Kind, UiMessage};
use web_sys::Element;

use crate::actions::Actions;
use crate::dom::element::{append, set, with_class, with_text};
use crate::dom::keyed_list::render_effect;
use crate::store::server::{Row, Session};

/// The note at the end of a row that is too long to be shown completely.
#[derive(Default)]
struct CutMark {
    shown: u64,
    note: Option<Element>,
}

impl CutMark {
    fn show(&mut self, row: &Element, bytes: u64) {
        if bytes == std::mem::replace(&mut self.shown, bytes) {
            return;
        }
        if let Some(note) = self.note.take() {
            note.remove();
        }
        if bytes > 0 {
            let note = with_text("p", "row-mark row-cut", &limit::mark(bytes));
            append(row, &note);
            self.note = Some(note);
        }
    }
}

#[derive(Clone)]
pub struct RowContext {
    pub actions: Actions,
    pub session: Session,
    pub row: Row,
}

impl RowContext {
    pub fn kind(&self) -> Kind {
        self.row.kind()
    }

    /// Calls `render` with the message now, and again whenever the message or a signal that `render` reads changes.
    pub fn render_effect(self, row: &Element, mut render: impl FnMut(&Self, &UiMessage) + 'static) {
        let (row, mut mark) = (row.clone(), CutMark::default());
        render_effect(Box::new(move || {
            self.session.read(&self.row, |message| {
                render(&self, message);
                mark.show(&row, message.bytes_left_out());
            });
        }));
    }

    /// Whether text is being streamed into the row. Tracked.
    pub fn is_live(&self) -> bool {
        self.row.is_live()
    }

    /// Whether this is the last row. Tracked.
    pub fn is_last(&self) -> bool {
        self.session.rows.with(|rows| rows.last() == Some(&self.row))
    }

    /// Whether the user has expanded the row, for a view that belongs to the current owner.
    pub fn watch_expanded(&self) -> ArcRwSignal<bool> {
        self.actions.client.reading_positions.expanded.watch(&self.session.key(), self.row.id())
    }

    /// Expands or collapses the row.
    pub fn toggle(&self) {
        self.actions.client.reading_positions.expanded.toggle(&self.session.key(), self.row.id());
    }

    /// Creates the row's element, without content.
    pub fn article(&self, class: &str) -> Element {
        let article = with_class("article", class);
        set(&article, "data-message-id", self.row.id());
        set(&article, "data-kind", self.kind().name());
        article
    }
}
