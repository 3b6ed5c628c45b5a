//! The state of a session that nobody watched, from three facts: what its record says, what its last complete message
//! asks, and what became of its process. For any beginning of a session's events these facts give the state a machine
//! that saw them all is in.

use super::SessionState;
use crate::conversation::message::{Message, StopReason};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    pub status: Status,
    pub ask: LastAsk,
    pub process: ProcessStatus,
}

/// What the session's own record says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// Nothing was ever asked of it.
    #[default]
    New,
    /// Its first request is not under way yet.
    Starting,
    /// It has been at work.
    Working,
    /// The person stopped it.
    Stopped,
}

/// What the last complete message asks of the person. A partial one does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LastAsk {
    /// Nothing: there is more to come.
    #[default]
    Nothing,
    Approval,
    Followup,
    /// What next: the turn ended well.
    Completion,
    /// Whether to try again.
    Failure,
    /// Whether to take an interrupted task up again.
    Resume,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProcessStatus {
    /// There is none, and none has ended in our sight: the session is known from what was stored.
    #[default]
    Absent,
    Running,
    /// It ended because we asked for it.
    EndedAsAsked,
    EndedWell,
    Failed,
}

impl Evidence {
    /// Of a session known only from its history.
    pub fn from_history<'a>(messages: impl DoubleEndedIterator<Item = &'a Message>) -> Self {
        messages.rev().find_map(Self::told_by).unwrap_or_default()
    }

    /// What one message tells, if it is the last that tells anything.
    pub fn told_by(message: &Message) -> Option<Self> {
        match message {
            Message::User { .. } | Message::ToolResult { .. } => Some(Self::after_request()),
            Message::Assistant { stop_reason, .. } => Some(Self::after_reply(*stop_reason)),
            _ => None,
        }
    }

    /// The model was asked, and has not answered.
    pub const fn after_request() -> Self {
        Self { status: Status::Working, ask: LastAsk::Nothing, process: ProcessStatus::Absent }
    }

    /// The model has answered, and ended so.
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
            // Somebody is at work, or waits for the person.
            (Status::Starting, _, Process::Running | Process::EndedAsAsked) => State::Creating,
            (Status::Working, Ask::Nothing, Process::Running) => State::Streaming,
            (Status::Working, Ask::Approval, Process::Running) => State::WaitingApproval,
            (Status::Working, Ask::Followup, Process::Running) => State::WaitingInput,
            // Nobody is.
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
