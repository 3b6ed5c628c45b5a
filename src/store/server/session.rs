//! One session that was opened: the folded view, held where nothing reacts to it, and the signals that project it.
//! The view changes frame by frame; the signals are told once per animation frame, and only those that have news.

mod extras;

use leptos::prelude::*;
use pilothouse_core::conversation::controller::{MessageController, Report};
use pilothouse_core::protocol::event::Event;
use pilothouse_core::protocol::{CommandError, Cursor, MessagesPage, SessionMeta, Snapshot};
use pilothouse_core::session::view::Applied;
use pilothouse_core::{Kind, SessionView, UiMessage};
use reactive_stores::{Patch, Store};

use super::notice::Notice;
use super::row::{Row, RowList};

/// Whether there is something to show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Loading {
    #[default]
    Waiting,
    Ready,
    /// The server does not have it, in its words.
    Missing(CommandError),
}

/// An opened session. The view is folded frame by frame; the signals are updated once per animation frame, and only
/// those whose value changed notify.
#[derive(Clone, Copy, Default)]
pub struct Session {
    id: StoredValue<String>,
    owner: StoredValue<Owner>,
    view: StoredValue<SessionView>,
    row_list: StoredValue<RowList>,
    /// The row that text is being added to.
    live_row: StoredValue<Option<Row>>,
    /// The number of runs that this page has seen start: a Stop is meant for one of them.
    run: StoredValue<u64>,
    /// An event is missing: nothing is applied until the requested snapshot arrives.
    awaiting_snapshot: StoredValue<bool>,
    /// The view has changed since the signals were updated.
    changed: StoredValue<bool>,
    /// Settings that the user has chosen and the server has not confirmed yet.
    requested: StoredValue<RequestedSettings>,
    /// The draft that came with the snapshot of a newly opened session.
    served_draft: StoredValue<Option<String>>,

    pub loading: RwSignal<Loading>,
    /// Everything about the session except its rows.
    pub meta: Store<SessionMeta>,
    pub rows: RwSignal<Vec<Row>>,
    /// The number of rows before the loaded ones.
    pub earlier: RwSignal<usize>,
    pub seq: RwSignal<u64>,
    /// A text that the agent offers for the composer.
    pub offered: RwSignal<Option<String>>,
    /// Newest last; only those that arrived while the session was open.
    pub notices: RwSignal<Vec<Notice>>,
}

/// Settings that are shown as chosen before the server confirms them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestedSettings {
    pub thinking_level: Option<String>,
    pub mode: Option<String>,
}

impl Session {
    /// Creates a session whose signals live as long as `owner`, which must be the current owner.
    pub(super) fn new(id: &str, owner: Owner) -> Self {
        Self { id: StoredValue::new(id.to_owned()), owner: StoredValue::new(owner), ..Self::default() }
    }

    pub fn id(&self) -> String {
        self.id.get_value()
    }

    /// Reads a row; the surrounding reactive code runs again when that row, and no other, changes.
    pub fn read<T: Default>(&self, row: &Row, read: impl FnOnce(&UiMessage) -> T) -> T {
        row.track();
        self.peek(row, read)
    }

    pub fn peek<T: Default>(&self, row: &Row, read: impl FnOnce(&UiMessage) -> T) -> T {
        self.view
            .try_with_value(|view| {
                let index = row.position().checked_sub(view.controller.first())?;
                view.controller.rows().get(index).map(read)
            })
            .flatten()
            .unwrap_or_default()
    }

    /// What a new connection starts from: everything after it comes again, so nothing is awaited any more.
    pub fn cursor(&self) -> Option<Cursor> {
        self.awaiting_snapshot.set_value(false);
        let ready = self.loading.with_untracked(|loading| *loading == Loading::Ready);
        ready.then(|| {
            self.view.with_value(|view| Cursor {
                session_id: view.meta.session_id.clone(),
                epoch: view.epoch.clone(),
                seq: view.seq,
            })
        })
    }

    pub fn run(&self) -> u64 {
        self.run.get_value()
    }

    /// As of the last applied event, which the signal may not show yet.
    pub fn is_active(&self) -> bool {
        self.view.with_value(|view| view.meta.state.is_active())
    }

    pub fn has_user_row(&self, client_id: &str) -> bool {
        let id = format!("u-{client_id}");
        self.view.with_value(|view| {
            view.controller.rows().iter().rev().any(|row| row.id == id) || view.meta.queue.contains(client_id)
        })
    }

    /// The index of the first row held.
    pub fn first(&self) -> usize {
        self.view.with_value(|view| view.controller.first())
    }

    /// Applies an event in its turn; false when one is missing before it.
    pub(super) fn apply_event(&self, seq: u64, event: Event) -> bool {
        if self.awaiting_snapshot.get_value() {
            return true;
        }
        // What comes again after a reconnect is not said again.
        if seq > self.view.with_value(|view| view.seq) {
            self.pass_on(&event);
        }
        let begins = matches!(&event, Event::SessionState { state, .. } if state.is_active());
        let begins = begins && !self.is_active();
        let applied = self.view.try_update_value(|view| view.apply_numbered(seq, event));
        match applied {
            Some(Applied::Changed(report)) => {
                self.follow(&report);
                if begins {
                    self.run.update_value(|run| *run += 1);
                }
                true
            }
            Some(Applied::Gap) => {
                self.awaiting_snapshot.set_value(true);
                false
            }
            _ => true,
        }
    }

    pub(super) fn apply_snapshot(&self, snapshot: Snapshot) {
        let same_run = |view: &SessionView, new: &Snapshot| {
            let last = |rows: &[UiMessage]| {
                rows.iter().rfind(|row| row.kind == Kind::User).map(|row| row.id.clone())
            };
            view.meta.state.is_active() && last(view.controller.rows()) == last(&new.messages)
        };
        if !self.view.with_value(|view| same_run(view, &snapshot)) {
            self.run.update_value(|run| *run += 1);
        }
        // Taken up when the session is opened, and not again: this page may have moved on since.
        if self.loading.with_untracked(|loading| *loading != Loading::Ready) {
            self.served_draft.set_value(Some(snapshot.meta.draft.clone()));
        }
        self.requested.set_value(RequestedSettings::default());
        self.view.set_value(SessionView::restore(snapshot));
        self.awaiting_snapshot.set_value(false);
        self.row_list.update_value(|list| {
            self.view.with_value(|view| list.replace(view.controller.rows(), view.controller.first()));
        });
        self.changed.set_value(true);
        self.loading.set(Loading::Ready);
    }

    /// Puts a page of older rows before those held.
    pub fn prepend(&self, page: MessagesPage) {
        let fits = self.view.try_update_value(|view| view.controller.prepend(page.first, page.messages));
        if fits == Some(true) {
            self.row_list.update_value(|list| {
                self.view.with_value(|view| list.prepend(view.controller.rows(), view.controller.first()));
            });
            self.changed.set_value(true);
            self.settle();
        }
    }

    /// A change of the page's own making, such as the row of a prompt under way.
    pub fn edit(&self, edit: impl FnOnce(&mut MessageController) -> Report) {
        if let Some(report) = self.view.try_update_value(|view| edit(&mut view.controller)) {
            self.follow(&report);
        }
    }

    fn follow(&self, report: &Report) {
        self.changed.set_value(true);
        if !report.is_empty() {
            self.row_list.update_value(|list| {
                self.view
                    .with_value(|view| list.apply(report, view.controller.rows(), view.controller.first()));
            });
        }
    }

    /// Tells what is new since the last time.
    pub fn settle(&self) {
        if !self.changed.get_value() {
            return;
        }
        self.changed.set_value(false);
        self.view.with_value(|view| {
            set_if_changed(self.seq, view.seq);
            set_if_changed(self.earlier, view.controller.first());
            self.update_meta(&view.meta);
        });
        self.mark_live_row();
        if let Some(news) = self.row_list.try_update_value(RowList::news) {
            news.tell(self.rows);
        }
    }

    /// Patches the store, so that only changed fields notify. Deltas change none.
    fn update_meta(&self, meta: &SessionMeta) {
        let RequestedSettings { thinking_level, mode } = self.requested.get_value();
        if thinking_level.is_none() && mode.is_none() && self.meta.with_untracked(|shown| shown == meta) {
            return;
        }
        let mut meta = meta.clone();
        meta.thinking_level = thinking_level.unwrap_or(meta.thinking_level);
        meta.mode = mode.unwrap_or(meta.mode);
        self.meta.patch(meta);
    }

    /// The row at the end of a running conversation is the one that grows.
    fn mark_live_row(&self) {
        let streaming =
            self.view.with_value(|view| view.meta.state.show_spinner() && view.controller.is_running());
        let last = self.row_list.with_value(|list| {
            let last = list.rows().iter().rfind(|row| row.kind() != Kind::Bash);
            last.filter(|row| streaming && matches!(row.kind(), Kind::Assistant | Kind::Thinking)).cloned()
        });
        let before = self.live_row.get_value();
        if before.as_ref().map(Row::key) != last.as_ref().map(Row::key) {
            before.iter().for_each(|row| row.set_live(false));
            last.iter().for_each(|row| row.set_live(true));
            self.live_row.set_value(last);
        }
    }

    pub(super) fn dispose(&self) {
        self.owner.get_value().cleanup();
    }
}

fn set_if_changed<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    if signal.with_untracked(|shown| *shown != value) {
        signal.set(value);
    }
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
