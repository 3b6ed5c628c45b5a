//! What belongs to this browser alone: the connection as seen from here, drafts, what is open and where it is
//! scrolled to. Nothing here comes from the server.

pub mod answer_drafts;
mod attachments;
mod drafts;
pub mod image_rules;
mod message_edit;
pub mod outbox;
mod preferences;
mod queue_edits;
mod reading_positions;

use std::collections::HashSet;
use std::sync::Arc;

use leptos::prelude::*;

pub use self::attachments::Attachment;
pub use self::attachments::Attachments;
pub use self::drafts::Drafts;
pub use self::message_edit::MessageEdit;
pub use self::outbox::Outbox;
pub use self::outbox::Sent;
pub use self::preferences::Preferences;
pub use self::preferences::Theme;
pub use self::queue_edits::QueueEdits;
pub use self::reading_positions::Reading;
pub use self::reading_positions::ReadingPositions;
use crate::browser;
use crate::net::ConnectionState;
use crate::net::access::Access;

/// What the composer's text is.
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

/// What has to be confirmed before it is done.
#[derive(Clone)]
pub struct Confirmation {
    pub title: String,
    pub words: String,
    pub yes: &'static str,
    /// It takes something away.
    pub destructive: bool,
    pub act: Arc<dyn Fn() + Send + Sync>,
}

/// The title that is being changed, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renaming {
    pub session_id: String,
    pub in_sidebar: bool,
}

#[derive(Clone, Copy, Default)]
pub struct ClientState {
    /// None until the server was asked.
    pub access: RwSignal<Option<Access>>,
    pub connection: RwSignal<ConnectionState>,
    /// The server is of another version, and reloading did not help.
    pub outdated: RwSignal<bool>,
    pub sidebar_open: RwSignal<bool>,
    /// Moves on every half minute, for relative times.
    pub now: RwSignal<f64>,
    /// What a screen reader is told, newest only.
    pub announced: RwSignal<String>,
    /// The tab is hidden.
    pub hidden: RwSignal<bool>,
    pub preferences: Preferences,
    /// What the tab is called, without what calls for attention.
    pub title: RwSignal<String>,
    pub outbox: Outbox,
    pub drafts: Drafts,
    pub attachments: Attachments,
    /// Files are being carried over the page.
    pub dragged: RwSignal<bool>,
    pub queue_edits: QueueEdits,
    pub message_edit: MessageEdit,
    pub confirmation: RwSignal<Option<Confirmation>>,
    /// Where the picture comes from that is looked at in full.
    pub viewed: RwSignal<Option<String>>,
    /// The list of shortcuts is open.
    pub help: RwSignal<bool>,
    pub renaming: RwSignal<Option<Renaming>>,
    /// What the sidebar is searched for.
    pub query: RwSignal<String>,
    pub show_archived: RwSignal<bool>,
    /// The words that are looked for in the conversation; none while nobody looks.
    pub finding: RwSignal<Option<String>>,
    /// Which of how many places is looked at, in the row that was gone to.
    pub hit: RwSignal<(usize, usize)>,
    /// What was refused, where no session is open to say it in.
    pub trouble: RwSignal<Option<String>>,
    /// What was open here until it was removed elsewhere.
    pub left: RwSignal<Option<String>>,
    /// Sessions whose composer was made a shell by its button, whatever is typed there.
    shell_chosen: RwSignal<HashSet<String>>,
    pub reading_positions: ReadingPositions,
}

impl ClientState {
    pub fn new(now: f64) -> Self {
        Self { now: RwSignal::new(now), ..Self::default() }
    }

    /// Opens the drawer, or brings back the sidebar where it is none.
    pub fn show_sidebar(&self) {
        match browser::is_narrow() {
            true => self.sidebar_open.set(true),
            false => self.preferences.no_sidebar.set(false),
        }
    }

    pub fn toggle_sidebar(&self) {
        match browser::is_narrow() {
            true => self.sidebar_open.update(|open| *open = !*open),
            false => self.preferences.no_sidebar.update(|away| *away = !*away),
        }
    }

    /// What the composer's text is: by the person's choice, or by how it begins.
    pub fn input_mode(&self, session_id: &str) -> InputMode {
        let chosen = self.shell_chosen.with(|chosen| chosen.contains(session_id));
        let typed = self.drafts.of(session_id).with(|draft| InputMode::of(draft));
        if chosen { InputMode::Shell } else { typed }
    }

    /// The button: a shell that stays one, or back from either kind of shell.
    pub fn toggle_shell(&self, session_id: &str) {
        match untrack(|| self.input_mode(session_id)) {
            InputMode::Prompt => self.shell_chosen.update(|chosen| {
                chosen.insert(session_id.to_owned());
            }),
            InputMode::Shell => {
                self.forget_chosen_shell(session_id);
                let draft = self.drafts.of(session_id).get_untracked();
                self.drafts.set(session_id, draft.trim_start_matches('!').to_owned());
            }
        }
    }

    /// What is written next is a message again: nothing meant for the agent is ever run by mistake.
    pub fn forget_chosen_shell(&self, session_id: &str) {
        if self.shell_chosen.with_untracked(|chosen| chosen.contains(session_id)) {
            self.shell_chosen.update(|chosen| {
                chosen.remove(session_id);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exclamation_mark_at_the_start_is_the_shell() {
        assert_eq!(InputMode::of("!ls"), InputMode::Shell);
        assert_eq!(InputMode::of("!!ls"), InputMode::Shell);
        assert_eq!(InputMode::of(" !ls"), InputMode::Prompt);
        assert_eq!(InputMode::of("wow!"), InputMode::Prompt);
    }
}
