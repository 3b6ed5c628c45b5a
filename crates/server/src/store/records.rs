//! The values that the store keeps.

use pilothouse_core::conversation::ask::auto_approve::AutoApprove;
use pilothouse_core::conversation::queue::Lane;
use pilothouse_core::conversation::ui_message::Image;
use pilothouse_core::protocol::Prompted;
use pilothouse_core::protocol::event::Event;

pub use pilothouse_agents::history::entry::Extra;

/// The data about a session besides its file. A session that was created by another program has a record once the
/// user changes something about it; its `created` is 0 then, and agent and folder may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionRecord {
    pub id: String,
    pub agent: String,
    pub cwd: String,
    /// Milliseconds since 1970, as all times here.
    pub created: u64,
    pub pinned: bool,
    pub archived: bool,
    /// 0 for never.
    pub read_at: u64,
    pub draft: String,
    pub auto_approve: AutoApprove,
}

/// The reply to a command with a client id: what happened to a prompt, nothing for other commands, or why it was
/// refused.
pub type PromptOutcome = Result<Option<Prompted>, String>;

/// An accepted prompt that the session file may not have yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prompt {
    pub client_id: String,
    pub text: String,
    /// With their data.
    pub images: Vec<Image>,
    pub lane: Lane,
    pub at: u64,
    /// The timestamp of the agent's user message, once the agent has reported it.
    pub reported: Option<u64>,
    pub outcome: Option<PromptOutcome>,
}

/// The message in progress, as far as it was received.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InFlightNote {
    pub at: u64,
    /// The timestamp of the assistant message in progress.
    pub message: Option<u64>,
    pub events: Vec<Event>,
}
