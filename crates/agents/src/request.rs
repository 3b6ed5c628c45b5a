//! Requests to an agent and their replies, the same for every protocol.

use std::collections::BTreeMap;

use pilothouse_core::conversation::ask::Answer;
use pilothouse_core::conversation::queue::Lane;
use pilothouse_core::conversation::ui_message::Image;
use pilothouse_core::protocol::event::ModelInfo;
use pilothouse_core::protocol::{AgentCommand, AgentSessions, Disposition, Login};
use thiserror::Error;

/// The settings that the session had with an earlier process. Empty ones are left as the agent starts with them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WantedSettings {
    pub model: String,
    pub thinking_level: String,
    pub mode: String,
    /// The values of other options, by id.
    pub options: BTreeMap<String, String>,
}

/// Identifies a request within one connection. The caller chooses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u64);

/// Something the session wants the agent to do. Each request gets exactly one reply.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Starts a run; joins the agent's queue in this lane if a run is in progress.
    Prompt {
        text: String,
        images: Vec<Image>,
        lane: Lane,
        /// Texts that the agent gets before the prompt and that are not part of the user's message, such as the output
        /// of shell commands. Only for agents whose shell commands the server runs.
        context: Vec<String>,
    },
    /// Empties the agent's queue and returns its messages.
    ClearQueue,
    /// Ends the run in progress.
    Abort,
    /// Runs a shell command of the user in the session's folder.
    Shell {
        command: String,
        exclude_from_context: bool,
    },
    AbortShell,
    /// Answers a question that the agent has asked.
    Answer {
        ask_id: String,
        answer: Answer,
    },
    /// Lists the models that can be chosen.
    Models,
    SetModel {
        provider: String,
        model_id: String,
    },
    SetThinkingLevel {
        level: String,
    },
    SetMode {
        mode: String,
    },
    SetOption {
        option_id: String,
        value: String,
    },
    /// Makes the agent log in, by one of its methods.
    LogIn {
        method: String,
    },
    /// Lists the sessions that the agent knows, in this folder or in all.
    Sessions {
        folder: Option<String>,
        cursor: Option<String>,
    },
    /// Deletes the agent's own copy of a session.
    DeleteSession {
        session_id: String,
    },
    /// Lists the agent's own commands, skills and templates.
    Commands,
    /// Summarizes the conversation to make room in the context window.
    Compact {
        instructions: Option<String>,
    },
    /// Creates a session that ends before this entry, which is a message of the user, or without one with the last entry.
    Fork {
        entry_id: Option<String>,
    },
    Rename {
        name: String,
    },
}

/// The result of a request that succeeded.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    Done,
    Prompt(Disposition),
    QueueCleared(ClearedQueue),
    Shell(ShellOutcome),
    Models(Vec<ModelInfo>),
    Commands(Vec<AgentCommand>),
    Forked(ForkedSession),
    Sessions(AgentSessions),
}

/// The texts that were in the agent's queue, by lane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClearedQueue {
    pub steering: Vec<String>,
    pub follow_up: Vec<String>,
}

/// How a shell command of the user ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShellOutcome {
    pub output: String,
    pub exit_code: Option<i32>,
    pub cancelled: bool,
    pub truncated: bool,
}

/// A session created by a fork.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForkedSession {
    pub session_id: String,
    /// The text of the message that the fork was made from; empty if the session was cloned.
    pub text: String,
}

/// Why a request failed. The text is for the user.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AgentError {
    /// The agent refused, in its own words.
    #[error("{0}")]
    Refused(String),
    #[error("This agent doesn't support that.")]
    Unsupported,
    /// The agent's reply lacks what the request asked for.
    #[error("The agent sent an invalid reply. Try again.")]
    InvalidReply,
    /// The agent accepts no further message while it works.
    #[error("The agent is working. Try again when it's done.")]
    Busy,
    #[error("The agent needs a login before it can work.")]
    LoginRequired(Login),
    #[error("The agent isn't responding. Try again later.")]
    NotReading,
    #[error("The agent exited.")]
    Closed,
}
