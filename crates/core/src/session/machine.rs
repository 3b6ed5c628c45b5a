//! The session state machine: `next(state, event) -> state`, without I/O. The server runs one per session and broadcasts
//! its changes; the page derives what it shows from the state.
//!
//! `follow` maps a session's events to steps of the machine; `reconstruct` derives the state of a session from its
//! history.

mod follow;
mod reconstruct;

use serde::{Deserialize, Serialize};

use crate::json::FromJson;

pub use follow::Follower;
pub use reconstruct::{Evidence, LastAsk, ProcessStatus, Status};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, FromJson)]
#[serde(rename_all = "snake_case")]
pub enum SessionState {
    #[default]
    Idle,
    Creating,
    Streaming,
    WaitingApproval,
    WaitingInput,
    Completed,
    Paused,
    Error,
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateEvent {
    StartSession,
    SessionCreated,
    /// A request to the model has started. A message that only reports token counts is not one.
    RequestStarted,
    /// The agent asks for the approval of a tool or a command.
    AskApproval {
        partial: bool,
    },
    /// The agent asked a question.
    AskFollowup {
        partial: bool,
    },
    Completed,
    /// A request failed, for example because of a limit, an unknown model or a missing payment.
    Failed,
    /// The agent offers to resume an interrupted task.
    AskResume,
    ProcessError,
    ProcessExit {
        success: bool,
        expected: bool,
    },
    ApproveAction,
    RejectAction,
    SendMessage,
    CancelSession,
    ResumeSession,
    Retry,
}

/// The machine of one session: its state, and the events it has seen in `Creating`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    state: SessionState,
    created: bool,
    requested: bool,
    remembered: Option<SessionState>,
}

impl Machine {
    /// A machine in a known state, such as that of a session read from history.
    pub fn resting_in(state: SessionState) -> Self {
        Self { state, ..Self::default() }
    }

    pub const fn state(&self) -> SessionState {
        self.state
    }

    /// Applies an event. Returns whether the state changed.
    pub fn apply(&mut self, event: StateEvent) -> bool {
        let before = self.state;
        self.state = self.next(event);
        if before == SessionState::Creating && self.state != before {
            // A question that was asked in the meantime takes effect if the session streams, and is dropped otherwise.
            let waiting = self.remembered.take();
            self.state = waiting.filter(|_| self.state == SessionState::Streaming).unwrap_or(self.state);
        }
        self.state != before
    }

    fn next(&mut self, event: StateEvent) -> SessionState {
        use SessionState::{
            Completed, Creating, Error, Idle, Paused, Stopped, Streaming, WaitingApproval, WaitingInput,
        };
        let state = self.state;
        match (event, state) {
            (StateEvent::StartSession, Idle | Completed | Stopped) => {
                self.created = false;
                self.requested = false;
                self.remembered = None;
                Creating
            }
            (StateEvent::SessionCreated, Creating) => {
                self.created = true;
                if self.requested { Streaming } else { Creating }
            }
            (StateEvent::RequestStarted, Creating) => {
                self.requested = true;
                if self.created { Streaming } else { Creating }
            }
            (StateEvent::RequestStarted, WaitingApproval | WaitingInput | Completed | Paused | Error) => {
                Streaming
            }

            (StateEvent::AskApproval { partial: false }, Creating) => self.remember(WaitingApproval),
            (StateEvent::AskApproval { partial: false }, Streaming) => WaitingApproval,
            (StateEvent::AskFollowup { partial: false }, Creating) => self.remember(WaitingInput),
            (StateEvent::AskFollowup { partial: false }, Streaming) => WaitingInput,

            (StateEvent::Completed, Streaming | WaitingApproval | WaitingInput) => Completed,
            (StateEvent::Failed, Creating | Streaming | WaitingApproval | WaitingInput) => Error,
            (StateEvent::AskResume, Creating | Streaming) => Paused,

            (StateEvent::ProcessError, Idle | Error | Stopped) => state,
            (StateEvent::ProcessError, _) => Error,
            (StateEvent::ProcessExit { expected: true, .. }, Streaming | WaitingApproval | WaitingInput) => {
                Stopped
            }
            (StateEvent::ProcessExit { expected: true, .. }, _) => state,
            (StateEvent::ProcessExit { success: false, .. }, Idle | Error) => state,
            (StateEvent::ProcessExit { success: false, .. }, _) => Error,
            (StateEvent::ProcessExit { success: true, .. }, Creating | Streaming) => Completed,
            (StateEvent::ProcessExit { success: true, .. }, WaitingApproval | WaitingInput) => Paused,

            // Answered before the session was created: nothing is left to wait for.
            (StateEvent::ApproveAction | StateEvent::RejectAction | StateEvent::SendMessage, Creating) => {
                self.remembered = None;
                Creating
            }
            (StateEvent::ApproveAction | StateEvent::RejectAction, WaitingApproval) => Streaming,
            (StateEvent::SendMessage, WaitingInput | Completed | Paused | Stopped) => Streaming,
            (
                StateEvent::CancelSession,
                Creating | Streaming | WaitingApproval | WaitingInput | Paused | Error,
            ) => Stopped,
            (StateEvent::ResumeSession, Completed | Paused | Stopped) => Streaming,
            (StateEvent::Retry, Error) => Streaming,
            _ => state,
        }
    }

    fn remember(&mut self, waiting: SessionState) -> SessionState {
        self.remembered = Some(waiting);
        SessionState::Creating
    }
}

impl SessionState {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Creating => "creating",
            Self::Streaming => "streaming",
            Self::WaitingApproval => "waiting_approval",
            Self::WaitingInput => "waiting_input",
            Self::Completed => "completed",
            Self::Paused => "paused",
            Self::Error => "error",
            Self::Stopped => "stopped",
        }
    }

    pub const fn show_spinner(self) -> bool {
        matches!(self, Self::Creating | Self::Streaming)
    }

    pub const fn show_cancel_button(self) -> bool {
        self.is_active()
    }

    pub const fn show_resume_button(self) -> bool {
        matches!(self, Self::Paused | Self::Stopped | Self::Completed)
    }

    pub const fn show_auto_mode_warning(self, auto_approve: bool) -> bool {
        auto_approve && self.show_spinner()
    }

    /// Whether the composer starts a run. It is also usable while streaming, but then its messages steer the run.
    pub const fn input_enabled(self) -> bool {
        matches!(self, Self::Idle | Self::WaitingInput | Self::Completed | Self::Paused | Self::Stopped)
    }

    /// Whether the session waits for the user.
    pub const fn waits(self) -> bool {
        matches!(self, Self::WaitingApproval | Self::WaitingInput)
    }

    pub const fn is_active(self) -> bool {
        matches!(self, Self::Creating | Self::Streaming | Self::WaitingApproval | Self::WaitingInput)
    }
}

#[cfg(test)]
mod table_tests;
