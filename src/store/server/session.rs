//! One session that was opened: the folded view, held where nothing reacts to it, and the signals that project it.
//! The view changes frame by frame; the signals are told once per animation frame, and only those that have news.

mod extras;

use leptos::prelude::*;
use pilothouse_core::conversation::ask::Ask;
use pilothouse_core::conversation::controller::{MessageController, Report};
use pilothouse_core::conversation::queue::Queue;
use pilothouse_core::protocol::event::{ContextUsage, Event, ModelInfo};
use pilothouse_core::protocol::{
    Capabilities, CommandError, Cursor, ExtensionWidget, MessagesPage, RetryNote, Snapshot,
};
use pilothouse_core::session::view::Applied;
use pilothouse_core::{Kind, SessionState, SessionView, UiMessage};

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

#[derive(Clone, Copy)]
pub struct Session {
    id: StoredValue<String>,
    owner: StoredValue<Owner>,
    view: StoredValue<SessionView>,
    list: StoredValue<RowList>,
    live: StoredValue<Option<Row>>,
    /// Counts the runs this page has seen begin: a Stop is meant for one of them.
    run: StoredValue<u64>,
    /// An event is missing: nothing is applied until the snapshot that was asked for comes.
    awaiting_snapshot: StoredValue<bool>,
    changed: StoredValue<bool>,
    /// What the person has chosen and the server has not told yet.
    wished_level: StoredValue<Option<String>>,
    wished_mode: StoredValue<Option<String>>,
    /// The draft that came with the opening, until somebody takes it up.
    served_draft: StoredValue<Option<String>>,

    pub loading: RwSignal<Loading>,
    pub rows: RwSignal<Vec<Row>>,
    /// How many rows there are before those held.
    pub earlier: RwSignal<usize>,
    pub seq: RwSignal<u64>,
    pub agent: RwSignal<String>,
    pub cwd: RwSignal<String>,
    pub title: RwSignal<String>,
    pub state: RwSignal<SessionState>,
    pub reason: RwSignal<String>,
    pub queue: RwSignal<Queue>,
    pub asks: RwSignal<Vec<Ask>>,
    pub context_usage: RwSignal<Option<ContextUsage>>,
    pub model: RwSignal<Option<ModelInfo>>,
    pub thinking_level: RwSignal<String>,
    pub mode: RwSignal<String>,
    pub retry: RwSignal<Option<RetryNote>>,
    pub compacting: RwSignal<bool>,
    pub capabilities: RwSignal<Capabilities>,
    /// Another program is writing this session.
    pub elsewhere: RwSignal<bool>,
    pub statuses: RwSignal<Vec<ExtensionWidget>>,
    pub widgets: RwSignal<Vec<ExtensionWidget>>,
    /// A text that the agent wants in the composer.
    pub offered: RwSignal<Option<String>>,
    /// What the agent would write into the title of its window.
    pub window_title: RwSignal<String>,
    /// Newest last; only what was said while the page listened.
    pub notices: RwSignal<Vec<Notice>>,
}

impl Session {
    /// Its signals live as long as `owner`, the current one.
    pub(super) fn new(id: &str, owner: Owner) -> Self {
        Self {
            id: StoredValue::new(id.to_owned()),
            owner: StoredValue::new(owner),
            view: StoredValue::default(),
            list: StoredValue::default(),
            live: StoredValue::default(),
            run: StoredValue::default(),
            awaiting_snapshot: StoredValue::default(),
            changed: StoredValue::default(),
            wished_level: StoredValue::default(),
            wished_mode: StoredValue::default(),
            served_draft: StoredValue::default(),
            loading: RwSignal::default(),
            rows: RwSignal::default(),
            earlier: RwSignal::default(),
            seq: RwSignal::default(),
            agent: RwSignal::default(),
            cwd: RwSignal::default(),
            title: RwSignal::default(),
            state: RwSignal::default(),
            reason: RwSignal::default(),
            queue: RwSignal::default(),
            asks: RwSignal::default(),
            context_usage: RwSignal::default(),
            model: RwSignal::default(),
            thinking_level: RwSignal::default(),
            mode: RwSignal::default(),
            retry: RwSignal::default(),
            compacting: RwSignal::default(),
            capabilities: RwSignal::default(),
            elsewhere: RwSignal::default(),
            statuses: RwSignal::default(),
            widgets: RwSignal::default(),
            offered: RwSignal::default(),
            window_title: RwSignal::default(),
            notices: RwSignal::default(),
        }
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
        self.wished_level.set_value(None);
        self.wished_mode.set_value(None);
        self.view.set_value(SessionView::restore(snapshot));
        self.awaiting_snapshot.set_value(false);
        self.list.update_value(|list| {
            self.view.with_value(|view| list.replace(view.controller.rows(), view.controller.first()));
        });
        self.changed.set_value(true);
        self.loading.set(Loading::Ready);
    }

    /// Puts a page of older rows before those held.
    pub fn prepend(&self, page: MessagesPage) {
        let fits = self.view.try_update_value(|view| view.controller.prepend(page.first, page.messages));
        if fits == Some(true) {
            self.list.update_value(|list| {
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
            self.list.update_value(|list| {
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
            tell(self.seq, &view.seq);
            tell(self.earlier, &view.controller.first());
            tell(self.agent, &view.meta.agent);
            tell(self.cwd, &view.meta.cwd);
            tell(self.title, &view.meta.title);
            tell(self.state, &view.meta.state);
            tell(self.reason, &view.meta.reason);
            tell(self.queue, &view.meta.queue);
            tell(self.asks, &view.meta.asks);
            tell(self.context_usage, &view.meta.context_usage);
            tell(self.model, &view.meta.model);
            let wished = self.wished_level.get_value();
            tell(self.thinking_level, wished.as_ref().unwrap_or(&view.meta.thinking_level));
            let wished = self.wished_mode.get_value();
            tell(self.mode, wished.as_ref().unwrap_or(&view.meta.mode));
            tell(self.retry, &view.meta.retry);
            tell(self.compacting, &view.meta.compacting);
            tell(self.capabilities, &view.meta.capabilities);
            tell(self.elsewhere, &view.meta.external_writer);
            tell(self.statuses, &view.meta.statuses);
            tell(self.widgets, &view.meta.widgets);
            tell(self.window_title, &view.meta.window_title);
        });
        self.mark_live_row();
        if let Some(news) = self.list.try_update_value(RowList::news) {
            news.tell(self.rows);
        }
    }

    /// The row at the end of a running conversation is the one that grows.
    fn mark_live_row(&self) {
        let streaming =
            self.view.with_value(|view| view.meta.state.show_spinner() && view.controller.is_running());
        let last = self.list.with_value(|list| {
            let last = list.rows().iter().rfind(|row| row.kind() != Kind::Bash);
            last.filter(|row| streaming && matches!(row.kind(), Kind::Assistant | Kind::Thinking)).cloned()
        });
        let before = self.live.get_value();
        if before.as_ref().map(Row::key) != last.as_ref().map(Row::key) {
            before.iter().for_each(|row| row.set_live(false));
            last.iter().for_each(|row| row.set_live(true));
            self.live.set_value(last);
        }
    }

    pub(super) fn dispose(&self) {
        self.owner.get_value().cleanup();
    }
}

fn tell<T: Clone + PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: &T) {
    if signal.with_untracked(|told| told != value) {
        signal.set(value.clone());
    }
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
