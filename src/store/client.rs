//! State of this browser: the connection, drafts, preferences, open dialogs and scroll positions. Nothing
//! here comes from the server.

mod answer_drafts;
mod attachments;
mod drafts;
mod expanded_rows;
mod held_messages;
pub mod image_rules;
mod message_edit;
pub mod outbox;
mod pending_answers;
mod preferences;
mod queue_edits;
mod read_asks;
mod reading_positions;

use std::collections::HashSet;
use std::sync::Arc;

use leptos::prelude::*;

pub use self::answer_drafts::AnswerDraft;
pub use self::answer_drafts::AnswerDrafts;
pub use self::attachments::Attachment;
pub use self::attachments::Attachments;
pub use self::drafts::Drafts;
pub use self::held_messages::HeldMessages;
pub use self::message_edit::MessageEdit;
pub use self::outbox::Outbox;
pub use self::outbox::Sent;
pub use self::pending_answers::PendingAnswers;
pub use self::preferences::Preferences;
pub use self::preferences::Theme;
pub use self::queue_edits::QueueEdits;
pub use self::read_asks::ReadAsks;
pub use self::reading_positions::ReadingPosition;
pub use self::reading_positions::ReadingPositions;
use crate::browser;
use crate::net::ConnectionState;
use crate::net::access::Access;
use crate::store::sidebar::ListLimits;

/// Whether the composer sends its text to the agent or runs it as a shell command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputMode {
    #[default]
    Prompt,
    Shell,
}

impl InputMode {
    pub fn of(text: &str) -> Self {
        if text.starts_with('!') { Self::Shell } else { Self::Prompt }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Shell => "shell",
        }
    }
}

/// A list of the settings that is shown in a dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsPanel {
    Devices,
    Approvals,
}

pub type ConfirmedAction = Arc<dyn Fn() + Send + Sync>;

/// An action that the user must confirm in a dialog.
#[derive(Clone)]
pub struct Confirmation {
    pub title: String,
    pub text: String,
    pub confirm_label: &'static str,
    /// The action deletes something.
    pub destructive: bool,
    pub action: ConfirmedAction,
    /// Other actions, with their labels; if there are any, they replace the Cancel button.
    pub alternatives: Vec<(&'static str, ConfirmedAction)>,
}

/// The session whose title is being edited, and whether that happens in the sidebar or in the title bar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renaming {
    pub session_id: String,
    pub in_sidebar: bool,
}

#[derive(Clone, Copy, Default)]
pub struct ClientState {
    /// `None` until the server has responded.
    pub access: RwSignal<Option<Access>>,
    pub connection: RwSignal<ConnectionState>,
    /// The server speaks another protocol version, and reloading the page did not help.
    pub outdated: RwSignal<bool>,
    pub sidebar_open: RwSignal<bool>,
    /// The current time, updated every half minute, for relative times.
    pub now: RwSignal<f64>,
    /// The latest screen-reader message.
    pub announced: RwSignal<String>,
    /// The tab is hidden.
    pub hidden: RwSignal<bool>,
    /// The number of alerts since the tab was hidden.
    pub missed_alerts: RwSignal<usize>,
    pub preferences: Preferences,
    pub outbox: Outbox,
    pub drafts: Drafts,
    pub held: HeldMessages,
    pub answer_drafts: AnswerDrafts,
    pub attachments: Attachments,
    /// Files are being dragged over the page.
    pub dragged: RwSignal<bool>,
    pub pending_answers: PendingAnswers,
    pub read_asks: ReadAsks,
    pub queue_edits: QueueEdits,
    pub message_edit: MessageEdit,
    pub confirmation: RwSignal<Option<Confirmation>>,
    /// The source of the image in the image viewer.
    pub viewed: RwSignal<Option<String>>,
    /// The list of keyboard shortcuts is open.
    pub help: RwSignal<bool>,
    /// The open list of the settings.
    pub settings_panel: RwSignal<Option<SettingsPanel>>,
    pub renaming: RwSignal<Option<Renaming>>,
    /// The search text of the sidebar.
    pub query: RwSignal<String>,
    pub show_archived: RwSignal<bool>,
    /// How many sessions each list of the sidebar shows.
    pub list_limits: RwSignal<ListLimits>,
    /// The search text of "find in conversation"; `None` while that is closed.
    pub finding: RwSignal<Option<String>>,
    /// The index and the number of matches in the row that was scrolled to.
    pub hit: RwSignal<(usize, usize)>,
    /// An error for which no open session could show a notice.
    pub error: RwSignal<Option<String>>,
    /// The title of the session that was open here until another client removed it.
    pub removed_title: RwSignal<Option<String>>,
    /// Sessions whose composer was switched to shell mode by its button.
    shell_mode: RwSignal<HashSet<String>>,
    pub reading_positions: ReadingPositions,
}

impl ClientState {
    pub fn new(now: f64) -> Self {
        Self { now: RwSignal::new(now), ..Self::default() }
    }

    /// Sets whether the tab is hidden. A visible tab has no missed alerts.
    pub fn set_hidden(&self, hidden: bool) {
        self.hidden.set(hidden);
        if !hidden {
            self.missed_alerts.set(0);
        }
    }

    /// Opens the drawer in narrow windows, and shows a hidden sidebar in others.
    pub fn show_sidebar(&self) {
        match browser::is_narrow() {
            true => self.sidebar_open.set(true),
            false => self.preferences.no_sidebar.set(false),
        }
    }

    pub fn toggle_sidebar(&self) {
        match browser::is_narrow() {
            true => self.sidebar_open.update(|open| *open = !*open),
            false => self.preferences.no_sidebar.update(|hidden| *hidden = !*hidden),
        }
    }

    /// The mode that the user has chosen, or else the one that the text implies.
    pub fn input_mode(&self, session_id: &str) -> InputMode {
        let chosen = self.shell_mode.with(|sessions| sessions.contains(session_id));
        let typed = self.drafts.of(session_id).with(|draft| InputMode::of(draft));
        if chosen { InputMode::Shell } else { typed }
    }

    /// Switches to shell mode, or back to prompt mode, however shell mode was entered.
    pub fn toggle_shell(&self, session_id: &str) {
        match untrack(|| self.input_mode(session_id)) {
            InputMode::Prompt => self.shell_mode.update(|sessions| {
                sessions.insert(session_id.to_owned());
            }),
            InputMode::Shell => {
                self.reset_shell_mode(session_id);
                let draft = self.drafts.of(session_id).get_untracked();
                self.drafts.set(session_id, draft.trim_start_matches('!').to_owned());
            }
        }
    }

    /// Makes the next text a prompt again, so that text meant for the agent never runs as a command by
    /// mistake.
    pub fn reset_shell_mode(&self, session_id: &str) {
        if self.shell_mode.with_untracked(|sessions| sessions.contains(session_id)) {
            self.shell_mode.update(|sessions| {
                sessions.remove(session_id);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leading_exclamation_mark_means_shell_mode() {
        assert_eq!(InputMode::of("!ls"), InputMode::Shell);
        assert_eq!(InputMode::of("!!ls"), InputMode::Shell);
        assert_eq!(InputMode::of(" !ls"), InputMode::Prompt);
        assert_eq!(InputMode::of("wow!"), InputMode::Prompt);
    }
}
