//! The session state machine: `next(state, event) -> state`, with no I/O. The server runs one per session and
//! broadcasts its changes; the page derives what it shows from the state, never from scattered booleans.
//!
//! `follow` says which of a session's events are steps of its machine, `reconstruct` tells the state of a session that
//! nobody watched.

mod follow;
mod reconstruct;

use serde::{Deserialize, Serialize};

use crate::json::readable_names;

pub use follow::Follower;
pub use reconstruct::{Evidence, LastAsk, ProcessStatus, Status};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

readable_names!(SessionState {
    "idle" Idle, "creating" Creating, "streaming" Streaming, "waiting_approval" WaitingApproval,
    "waiting_input" WaitingInput, "completed" Completed, "paused" Paused, "error" Error, "stopped" Stopped,
});

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateEvent {
    StartSession,
    SessionCreated,
    /// A request to the model is under way. A message that only reports token counts is not one.
    RequestStarted,
    /// The agent wants a tool or command approved.
    AskApproval {
        partial: bool,
    },
    /// The agent asked a question.
    AskFollowup {
        partial: bool,
    },
    Completed,
    /// Request failed, limit reached, bad model, payment required.
    Failed,
    /// The agent offers to take up an interrupted task.
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

/// One session's machine: its state, what it has seen while creating, and the number of the present run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    state: SessionState,
    created: bool,
    requested: bool,
    remembered: Option<SessionState>,
    generation: u64,
}

impl Machine {
    /// A machine for a session that is known to be in this state, such as one read from history.
    pub fn resting_in(state: SessionState) -> Self {
        Self { state, ..Self::default() }
    }

    pub const fn state(&self) -> SessionState {
        self.state
    }

    /// The number of the present run. Events of an older one change nothing.
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// Applies an event of the run with this number; one of an older run changes nothing.
    pub fn apply_of(&mut self, generation: u64, event: StateEvent) -> bool {
        generation >= self.generation && self.apply(event)
    }

    /// Applies an event of the present run; tells whether the state changed.
    pub fn apply(&mut self, event: StateEvent) -> bool {
        let before = self.state;
        self.state = self.next(event);
        if before == SessionState::Creating && self.state != before {
            // What was asked meanwhile counts now, or, if this was no start, never.
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
                self.begin_run();
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

            // Answered before the session is there: nothing is left to wait for.
            (StateEvent::ApproveAction | StateEvent::RejectAction | StateEvent::SendMessage, Creating) => {
                self.remembered = None;
                Creating
            }
            (StateEvent::ApproveAction | StateEvent::RejectAction, WaitingApproval) => Streaming,
            (StateEvent::SendMessage, WaitingInput | Completed | Paused | Stopped) => self.run(),
            (
                StateEvent::CancelSession,
                Creating | Streaming | WaitingApproval | WaitingInput | Paused | Error,
            ) => Stopped,
            (StateEvent::ResumeSession, Completed | Paused | Stopped) => self.run(),
            (StateEvent::Retry, Error) => self.run(),
            _ => state,
        }
    }

    fn run(&mut self) -> SessionState {
        self.begin_run();
        SessionState::Streaming
    }

    fn begin_run(&mut self) {
        self.generation += 1;
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

    /// The composer starts something new. (While streaming it stays usable: what is sent then steers.)
    pub const fn input_enabled(self) -> bool {
        matches!(self, Self::Idle | Self::WaitingInput | Self::Completed | Self::Paused | Self::Stopped)
    }

    /// It is the person's turn to say something.
    pub const fn waits(self) -> bool {
        matches!(self, Self::WaitingApproval | Self::WaitingInput)
    }

    pub const fn is_active(self) -> bool {
        matches!(self, Self::Creating | Self::Streaming | Self::WaitingApproval | Self::WaitingInput)
    }
}

#[cfg(test)]
mod table_tests;
