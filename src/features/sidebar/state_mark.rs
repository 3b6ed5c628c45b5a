//! A session's state as a small mark: a shape and a word, never a colour alone. Pure.

use pilothouse_core::SessionState;

use crate::widgets::icon::Icon;

/// What to call a state.
pub const fn state_words(state: SessionState) -> &'static str {
    match state {
        SessionState::Idle => "Idle",
        SessionState::Creating => "Starting",
        SessionState::Streaming => "Working",
        SessionState::WaitingApproval => "Waits for your approval",
        SessionState::WaitingInput => "Waits for your answer",
        SessionState::Completed => "Done",
        SessionState::Paused => "Paused",
        SessionState::Error => "Failed",
        SessionState::Stopped => "Stopped",
    }
}

pub const fn state_icon(state: SessionState) -> Option<Icon> {
    match state {
        SessionState::Idle => None,
        SessionState::Completed => Some(Icon::Check),
        SessionState::Creating | SessionState::Streaming => Some(Icon::Spinner),
        SessionState::WaitingApproval | SessionState::WaitingInput => Some(Icon::Question),
        SessionState::Paused => Some(Icon::Pause),
        SessionState::Error => Some(Icon::Alert),
        SessionState::Stopped => Some(Icon::Stop),
    }
}
