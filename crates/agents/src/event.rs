//! Events of an agent, the same for every protocol.

use pilothouse_core::conversation::ask::Ask;
use pilothouse_core::conversation::queue::QueueCounts;
use pilothouse_core::protocol::event::{Event, ModelInfo};

use crate::request::RequestId;

/// Something that an agent reported without being asked.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentEvent {
    /// The agent's settings, reported at the start and whenever they may have changed.
    Settings(Settings),
    /// The agent has answered for the first time: from now on it accepts prompts. Follows the first settings.
    Ready,
    /// An event of the conversation, ready to be numbered and folded.
    Session(Event),
    /// The number of messages in the agent's own queue.
    QueueLength(QueueCounts),
    /// A question or a request for approval.
    AskOpened(Box<Ask>),
    /// The agent no longer waits for an answer.
    AskClosed { ask_id: String },
    /// The agent's name and version, as it reports them.
    Identified { title: Option<String>, version: Option<String> },
    /// The agent has created or continued a session, which it knows by this id.
    SessionStarted { agent_session_id: String },
    /// The agent could not continue the stored session and starts a new one. The reason is empty if it never can.
    MemoryLost { reason: String },
    /// The session could not be opened; the process is of no use.
    OpenFailed { reason: String },
    /// More output of a shell command, by the request that started it.
    ShellOutput { request: RequestId, delta: String },
    /// A line that is not a JSON object.
    UnreadableLine,
}

/// The agent's settings for this session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    pub model: Option<ModelInfo>,
    pub thinking_level: String,
    /// Empty where the agent has no modes.
    pub mode: String,
    /// The path of the agent's own session file, if it keeps one.
    pub session_file: Option<String>,
}
