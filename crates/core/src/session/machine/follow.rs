//! Maps a session's events to steps of its state machine. User actions (send, stop, answer) are steps of their own.

use super::StateEvent;
use crate::conversation::message::{Message, StopReason};
use crate::protocol::event::Event;

/// Follows a session's events in order. The last message of a run shows how the run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Follower {
    last_stop_reason: StopReason,
    last_error: String,
}

impl Follower {
    pub fn step(&mut self, event: &Event) -> Option<StateEvent> {
        match event {
            Event::AgentStart => {
                *self = Self::default();
                Some(StateEvent::RequestStarted)
            }
            Event::TurnStart => Some(StateEvent::RequestStarted),
            Event::MessageEnd { message: Message::Assistant { stop_reason, error_message, .. } } => {
                self.last_stop_reason = *stop_reason;
                self.last_error = error_message.clone().unwrap_or_default();
                None
            }
            // A question that is reported twice is one step: a waiting session stays as it is.
            Event::AskOpened { ask } if ask.approval => Some(StateEvent::AskApproval { partial: false }),
            Event::AskOpened { .. } => Some(StateEvent::AskFollowup { partial: false }),
            Event::AgentSettled { aborted: true } => Some(StateEvent::CancelSession),
            Event::AgentSettled { aborted: false } => Some(match self.last_stop_reason {
                StopReason::Aborted => StateEvent::CancelSession,
                StopReason::Error => StateEvent::Failed,
                _ => StateEvent::Completed,
            }),
            Event::ProcessExit { code, expected, .. } => {
                Some(StateEvent::ProcessExit { success: *code == Some(0), expected: *expected })
            }
            _ => None,
        }
    }

    /// Why the last request failed.
    pub fn last_error(&self) -> &str {
        &self.last_error
    }
}
