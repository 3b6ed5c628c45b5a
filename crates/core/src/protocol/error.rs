//! Why a command failed: a code for programs and a text for the user.

use serde::{Deserialize, Serialize};

use crate::conversation::queue::QueueError;
use crate::json::FromJson;

/// The kind of failure, for code that reacts to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The frame, or a value in it, is invalid.
    InvalidRequest,
    NoSuchSession,
    /// The thing that the command refers to does not exist any more: a row, a question, a message in the queue.
    Gone,
    /// The thing was changed since the client last saw it.
    Conflict,
    /// A limit is reached, such as the number of scheduled messages.
    LimitReached,
    /// The agent is working, stopping or starting; the command may succeed later.
    Busy,
    /// Another program is writing this session.
    ExternalWriter,
    /// The session or the server is closing.
    Closing,
    /// Nothing was done, because it could not be written to disk.
    NotStored,
    /// The agent could not be started, refused, or ended.
    AgentFailed,
    /// The connection was lost before the reply arrived. Only clients create this code.
    ConnectionLost,
    #[json(other)]
    Internal,
}

/// A failed command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandError {
    pub code: ErrorCode,
    /// One or two sentences for the user: what happened and what to do next.
    pub message: String,
}

impl CommandError {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidRequest, message)
    }

    pub fn no_such_session() -> Self {
        Self::new(ErrorCode::NoSuchSession, "Session not found. It may have been deleted.")
    }
}

impl From<QueueError> for CommandError {
    fn from(error: QueueError) -> Self {
        let code = match error {
            QueueError::Full => ErrorCode::LimitReached,
            QueueError::Gone => ErrorCode::Gone,
            QueueError::Known | QueueError::Changed | QueueError::NotUnderEdit => ErrorCode::Conflict,
        };
        Self::new(code, error.to_string())
    }
}
