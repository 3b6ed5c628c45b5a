//! Derives the state of a session from three facts: its status, the ask of its last complete message, and the status of
//! its process. For any prefix of a session's events, the result is the state of a machine that saw all of them.

use super::SessionState;
use crate::conversation::message::{Message, StopReason};

/// The three facts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    pub status: Status,
    pub ask: LastAsk,
    pub process: ProcessStatus,
}

/// The status of the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// It never had a prompt.
    #[default]
    New,
    /// Its first request has not started yet.
    Starting,
    /// It has worked.
    Working,
    /// The user stopped it.
    Stopped,
}

/// The request to the user in the last complete message. Partial messages do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LastAsk {
    /// Nothing: the run continues.
    #[default]
    Nothing,
    Approval,
    Followup,
    /// How to continue: the turn was completed.
    Completion,
    /// Whether to try again.
    Failure,
    /// Whether to resume an interrupted task.
    Resume,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProcessStatus {
    /// No process was seen: the session is known from its file only.
    #[default]
    Absent,
    Running,
    /// We ended it.
    EndedAsAsked,
    EndedWell,
    Failed,
}

impl Evidence {
    /// The facts of a session that is known only from its history.
    pub fn from_history<'a>(messages: impl DoubleEndedIterator<Item = &'a Message>) -> Self {
        messages.rev().find_map(Self::implied_by).unwrap_or_default()
    }

    /// The facts that one message implies. None for a message that implies nothing.
    pub fn implied_by(message: &Message) -> Option<Self> {
        match message {
            Message::User { .. } | Message::ToolResult { .. } => Some(Self::after_request()),
            Message::Assistant { stop_reason, .. } => Some(Self::after_reply(*stop_reason)),
            _ => None,
        }
    }

    /// The model was asked and has not answered.
    pub const fn after_request() -> Self {
        Self { status: Status::Working, ask: LastAsk::Nothing, process: ProcessStatus::Absent }
    }

    /// The model has answered and stopped for this reason.
    pub const fn after_reply(stop_reason: StopReason) -> Self {
        let (status, ask) = match stop_reason {
            StopReason::Stop | StopReason::Length => (Status::Working, LastAsk::Completion),
            StopReason::Error => (Status::Working, LastAsk::Failure),
            StopReason::Aborted => (Status::Stopped, LastAsk::Nothing),
            StopReason::ToolUse | StopReason::Pending => (Status::Working, LastAsk::Nothing),
        };
        Self { status, ask, process: ProcessStatus::Absent }
    }

    pub const fn state(self) -> SessionState {
        use {LastAsk as Ask, ProcessStatus as Process, SessionState as State};
        match (self.status, self.ask, self.process) {
            (Status::New, ..) => State::Idle,
            (_, _, Process::Failed) => State::Error,
            (Status::Stopped, ..) => State::Stopped,
            (_, Ask::Failure, _) => State::Error,
            (_, Ask::Resume, _) => State::Paused,
            (_, Ask::Completion, _) => State::Completed,
            // A process runs, or was ended before its first request.
            (Status::Starting, _, Process::Running | Process::EndedAsAsked) => State::Creating,
            (Status::Working, Ask::Nothing, Process::Running) => State::Streaming,
            (Status::Working, Ask::Approval, Process::Running) => State::WaitingApproval,
            (Status::Working, Ask::Followup, Process::Running) => State::WaitingInput,
            // No process runs.
            (Status::Starting, _, Process::EndedWell) => State::Completed,
            (Status::Working, Ask::Nothing, Process::EndedWell) => State::Completed,
            (Status::Working, _, Process::EndedAsAsked) => State::Stopped,
            (_, _, Process::EndedWell | Process::Absent) => State::Paused,
        }
    }
}

#[cfg(test)]
#[path = "reconstruct_tests.rs"]
mod tests;
