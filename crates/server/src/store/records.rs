//! What the store keeps, as its callers see it.

use pilothouse_core::conversation::queue::Lane;
use pilothouse_core::conversation::ui_message::Image;
use pilothouse_core::protocol::event::Event;
use serde_json::Value;

/// What is known of a session besides its agent's file. One that was made elsewhere has none until a person does
/// something with it; `created` is 0 then, and agent and folder may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionRecord {
    pub id: String,
    pub agent: String,
    pub cwd: String,
    /// Milliseconds since 1970, as all times here.
    pub created: u64,
    pub pinned: bool,
    pub archived: bool,
    /// 0: never.
    pub read_at: u64,
    pub draft: String,
}

/// A prompt that was accepted and that the agent's own file need not have yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prompt {
    pub client_id: String,
    pub text: String,
    /// With their data.
    pub images: Vec<Image>,
    pub lane: Lane,
    pub at: u64,
    /// The timestamp of the agent's own user message, once that has come.
    pub told: Option<u64>,
    /// What was answered to the page.
    pub outcome: Option<Result<Value, String>>,
}

pub use pilothouse_agents::history::entry::Extra;

/// What is being said, as far as it was heard.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InFlightNote {
    pub at: u64,
    /// The timestamp of the assistant's message under way.
    pub message: Option<u64>,
    pub events: Vec<Event>,
}
