//! An opened session: the folded view, which is not reactive, and the signals that are derived from it.

use leptos::prelude::*;
use pilothouse_core::conversation::controller::{Fold, MessageController, Report};
use pilothouse_core::protocol::event::{Event, NoticeLevel};
use pilothouse_core::protocol::{
    BranchPage, CommandError, Cursor, MessagesPage, SessionMeta, SessionMetaStoreFields, Snapshot,
};
use pilothouse_core::render::describe::distant_parent;
use pilothouse_core::session::view::Applied;
use pilothouse_core::{Kind, SessionView, UiMessage};
use reactive_stores::{Patch, Store};

use super::notice;
use super::notice::Notice;
use super::row::{Row, RowList};

/// Whether the session's content has been loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Loading {
    #[default]
    Waiting,
    Ready,
    /// The server could not open the session.
    Missing(CommandError),
}

/// An opened session. Events are folded into the view at once; the signals are updated once per animation
/// frame, and only those whose value changed notify.
#[derive(Clone, Copy, Default)]
pub struct Session {
    id: StoredValue<String>,
    /// The last entry of the branch, if this is not the one that the session continues.
    branch: StoredValue<Option<String>>,
    owner: StoredValue<Owner>,
    view: StoredValue<SessionView>,
    row_list: StoredValue<RowList>,
    /// The row that text is being streamed into.
    live_row: StoredValue<Option<Row>>,
    /// The number of runs that this page has seen start, to stop the run that the user meant and not the next
    /// one.
    run: StoredValue<u64>,
    /// An event is missing: nothing is applied until the requested snapshot arrives.
    awaiting_snapshot: StoredValue<bool>,
    /// The view has changed since the signals were updated.
    changed: StoredValue<bool>,
    /// Settings that the user has chosen and the server has not confirmed yet.
    requested: StoredValue<Vec<(Setting, String)>>,
    /// The draft that came with the snapshot of a newly opened session.
    server_draft: StoredValue<Option<String>>,

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

/// A setting of the agent that the user can change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    ThinkingLevel,
    Mode,
    /// An option of the agent, by its id.
    Option(String),
}

impl Setting {
    /// The current value. Tracked.
    pub fn value(&self, session: Session) -> String {
        match self {
            Self::ThinkingLevel => session.meta.thinking_level().get(),
            Self::Mode => session.meta.mode().get(),
            Self::Option(id) => session.meta.options().with(|options| {
                let option = options.iter().find(|option| option.id == *id);
                option.map(|option| option.value.clone()).unwrap_or_default()
            }),
        }
    }

    fn set(&self, meta: &mut SessionMeta, value: String) {
        match self {
            Self::ThinkingLevel => meta.thinking_level = value,
            Self::Mode => meta.mode = value,
            Self::Option(id) => {
                if let Some(option) = meta.options.iter_mut().find(|option| option.id == *id) {
                    option.value = value;
                }
            }
        }
    }

    const fn is_reported_by(&self, event: &Event) -> bool {
        matches!(
            (self, event),
            (Self::ThinkingLevel, Event::ThinkingLevelChanged { .. })
                | (Self::Mode, Event::ModeChanged { .. })
                | (Self::Option(_), Event::OptionsChanged { .. })
        )
    }
}

impl Session {
    /// Creates a session whose signals live as long as `owner`, which must be the current owner.
    pub(super) fn new(id: &str, owner: Owner) -> Self {
        Self { id: StoredValue::new(id.to_owned()), owner: StoredValue::new(owner), ..Self::default() }
    }

    /// Another branch of a session's file. Its signals live as long as the current owner.
    pub fn of_branch(id: &str, leaf: String) -> Self {
        Self { id: StoredValue::new(id.to_owned()), branch: StoredValue::new(Some(leaf)), ..Self::default() }
    }

    pub fn id(&self) -> String {
        self.id.get_value()
    }

    /// The last entry of the branch, if this is not the one that the session continues.
    pub fn branch(&self) -> Option<String> {
        self.branch.get_value()
    }

    /// Identifies the session, or the branch of it, in what this browser remembers.
    pub fn key(&self) -> String {
        match self.branch() {
            Some(leaf) => format!("{}?{leaf}", self.id()),
            None => self.id(),
        }
    }

    /// Whether the page still holds the session.
    pub fn is_alive(&self) -> bool {
        self.id.try_with_value(|_| ()).is_some()
    }

    /// Shows the newest rows of a branch. Nothing else about a branch is known, so nothing else is offered for it.
    pub fn show_branch(&self, page: BranchPage, title: String) {
        let BranchPage { first, total, messages, branches, current: _ } = page;
        let meta = SessionMeta { session_id: self.id(), title, branches, ..SessionMeta::default() };
        let (epoch, streaming) = (String::new(), Fold::default());
        self.apply_snapshot(Snapshot { epoch, seq: 0, total, first, messages, streaming, meta });
        self.update_signals();
    }

    pub fn has_id(&self, id: &str) -> bool {
        self.id.with_value(|own| own == id)
    }

    /// Reads a row; the surrounding reactive code runs again when that row, and no other, changes.
    pub fn read<T: Default>(&self, row: &Row, read: impl FnOnce(&UiMessage) -> T) -> T {
        row.track();
        self.read_untracked(row, read)
    }

    /// Reads a row without tracking it.
    pub fn read_untracked<T: Default>(&self, row: &Row, read: impl FnOnce(&UiMessage) -> T) -> T {
        self.view
            .try_with_value(|view| {
                let index = row.position().checked_sub(view.controller.first())?;
                view.controller.rows().get(index).map(read)
            })
            .flatten()
            .unwrap_or_default()
    }

    /// The title of the call that delegated the call in a row, unless the row above shows it. Not tracked.
    pub fn distant_parent(&self, row: &Row) -> Option<String> {
        self.view
            .try_with_value(|view| {
                let index = row.position().checked_sub(view.controller.first())?;
                distant_parent(view.controller.rows(), index)
            })
            .flatten()
    }

    /// The last applied event, from which a new connection continues. The server resends everything after it,
    /// so a missing event no longer needs a snapshot.
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

    /// The number of the current run.
    pub fn run(&self) -> u64 {
        self.run.get_value()
    }

    /// Whether the agent is working, as of the last applied event. The signals may be older.
    pub fn is_active(&self) -> bool {
        self.view.with_value(|view| view.meta.state.is_active())
    }

    /// Whether the message with this client id is in the conversation or in the queue.
    pub fn has_user_row(&self, client_id: &str) -> bool {
        let id = format!("u-{client_id}");
        self.view.with_value(|view| {
            view.controller.rows().iter().rev().any(|row| row.id == id) || view.meta.queue.contains(client_id)
        })
    }

    /// The position of the first loaded row.
    pub fn first(&self) -> usize {
        self.view.with_value(|view| view.controller.first())
    }

    /// Applies an event. Returns false if an event before it is missing.
    pub(super) fn apply_event(&self, seq: u64, event: Event) -> bool {
        if self.awaiting_snapshot.get_value() {
            return true;
        }
        // Events that the server resends after a reconnect must not repeat their notices.
        if seq > self.view.with_value(|view| view.seq) {
            self.apply_unfolded(&event);
        }
        let becomes_active = matches!(&event, Event::SessionState { state, .. } if state.is_active());
        let run_starts = becomes_active && !self.is_active();
        let applied = self.view.try_update_value(|view| view.apply_numbered(seq, event));
        match applied {
            Some(Applied::Changed(report)) => {
                self.apply_report(&report);
                if run_starts {
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

    /// Applies the parts of an event that are not folded into the view.
    fn apply_unfolded(&self, event: &Event) {
        match event {
            Event::Notice { level, text } => self.notify(*level, text.clone()),
            Event::BranchLeft { leaf } => self.notices.update(|notices| {
                let text = "This conversation continued on another branch. ".to_owned();
                notice::add(notices, NoticeLevel::Info, text, Some(leaf.clone()));
            }),
            Event::EditorText { text } if !text.is_empty() => self.offered.set(Some(text.clone())),
            event => self.requested.update_value(|requested| {
                requested.retain(|(setting, _)| !setting.is_reported_by(event));
            }),
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
        // Only the first snapshot's draft is used: later, this page's own draft may be newer.
        if self.loading.with_untracked(|loading| *loading != Loading::Ready) {
            self.server_draft.set_value(Some(snapshot.meta.draft.clone()));
        }
        self.requested.set_value(Vec::new());
        self.view.set_value(SessionView::restore(snapshot));
        self.awaiting_snapshot.set_value(false);
        self.row_list.update_value(|list| {
            self.view.with_value(|view| list.replace(view.controller.rows(), view.controller.first()));
        });
        self.changed.set_value(true);
        self.loading.set(Loading::Ready);
    }

    /// Inserts a page of older rows before the loaded ones.
    pub fn prepend(&self, page: MessagesPage) {
        let fits = self.view.try_update_value(|view| view.controller.prepend(page.first, page.messages));
        if fits == Some(true) {
            self.row_list.update_value(|list| {
                self.view.with_value(|view| list.prepend(view.controller.rows(), view.controller.first()));
            });
            self.update_signals_now();
        }
    }

    /// Changes the rows locally, for example to add the row of a prompt that is being sent.
    pub fn edit(&self, edit: impl FnOnce(&mut MessageController) -> Report) {
        if let Some(report) = self.view.try_update_value(|view| edit(&mut view.controller)) {
            self.apply_report(&report);
        }
    }

    fn apply_report(&self, report: &Report) {
        self.changed.set_value(true);
        if !report.is_empty() {
            self.row_list.update_value(|list| {
                self.view
                    .with_value(|view| list.apply(report, view.controller.rows(), view.controller.first()));
            });
        }
    }

    /// Updates the signals if the view has changed since the last time.
    pub fn update_signals(&self) {
        if !self.changed.get_value() {
            return;
        }
        self.changed.set_value(false);
        self.view.with_value(|view| {
            set_if_changed(self.seq, view.seq);
            set_if_changed(self.earlier, view.controller.first());
            self.update_meta(&view.meta);
        });
        self.update_live_row();
        if let Some(changes) = self.row_list.try_update_value(RowList::take_changes) {
            changes.notify(self.rows);
        }
    }

    fn update_signals_now(&self) {
        self.changed.set_value(true);
        self.update_signals();
    }

    /// Patches the store, so that only changed fields notify. Returns early for deltas, which change none.
    fn update_meta(&self, meta: &SessionMeta) {
        let requested = self.requested.get_value();
        if requested.is_empty() && self.meta.with_untracked(|shown| shown == meta) {
            return;
        }
        let mut meta = meta.clone();
        requested.into_iter().for_each(|(setting, value)| setting.set(&mut meta, value));
        self.meta.patch(meta);
    }

    /// Marks the last row of a running conversation as live, ignoring shell commands of the user.
    fn update_live_row(&self) {
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

    /// Adds a notice next to the conversation.
    pub fn notify(&self, level: NoticeLevel, text: String) {
        self.notices.update(|notices| notice::add(notices, level, text, None));
    }

    pub fn dismiss_notice(&self, number: u64) {
        self.notices.update(|notices| notices.retain(|notice| notice.number != number));
    }

    /// Shows a setting as chosen until the server reports it; `None` shows the server's value again.
    pub fn request_setting(&self, setting: Setting, value: Option<String>) {
        self.requested.update_value(|requested| {
            requested.retain(|(other, _)| *other != setting);
            requested.extend(value.map(|value| (setting, value)));
        });
        self.update_signals_now();
    }

    /// Returns the draft that the server had when this page opened the session, on the first call only.
    pub fn take_server_draft(&self) -> Option<String> {
        self.server_draft.try_update_value(Option::take).flatten()
    }

    /// The handle of a loaded row.
    pub fn row(&self, id: &str) -> Option<Row> {
        self.rows.with_untracked(|rows| rows.iter().rfind(|row| row.id() == id).cloned())
    }

    /// The id of the row at this position of the conversation, if it is loaded.
    pub fn row_id_at(&self, position: usize) -> Option<String> {
        let find = |view: &SessionView| {
            let index = position.checked_sub(view.controller.first())?;
            view.controller.rows().get(index).map(|row| row.id.clone())
        };
        self.view.try_with_value(find).flatten()
    }

    /// The position of a loaded row in the conversation.
    pub fn position_of(&self, row_id: &str) -> Option<usize> {
        self.view.with_value(|view| {
            let index = view.controller.rows().iter().rposition(|row| row.id == row_id)?;
            Some(view.controller.first() + index)
        })
    }

    /// Reads the loaded rows as of the last applied event.
    pub fn with_rows<T>(&self, read: impl FnOnce(&[UiMessage]) -> T) -> T {
        self.view.with_value(|view| read(view.controller.rows()))
    }

    /// The texts that the user has sent, oldest first: messages, and shell commands with their `!` or `!!`.
    pub fn sent_texts(&self) -> Vec<String> {
        self.view.with_value(|view| {
            let rows = view.controller.rows().iter();
            let texts = rows.filter_map(|row| match (row.kind, &row.bash_result) {
                (Kind::User, _) => Some(row.text.clone()),
                (_, Some(bash)) if bash.exclude_from_context => Some(format!("!!{}", bash.command)),
                (_, Some(bash)) => Some(format!("!{}", bash.command)),
                _ => None,
            });
            texts.filter(|text| !text.trim().is_empty()).collect()
        })
    }

    /// Disposes the session's signals.
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
