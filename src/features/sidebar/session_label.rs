//! The texts and icons that identify a session: its title and its state. A state has an icon and a text, never a colour
//! alone. Pure.

use pilothouse_core::SessionState;
use pilothouse_core::conversation::ask::auto_approve::AutoApprove;
use pilothouse_core::protocol::SessionSummary;

use crate::widgets::icon::Icon;

/// The title of a session, or a placeholder.
pub fn session_title(summary: &SessionSummary) -> String {
    title_or_placeholder(&summary.title)
}

/// A title, or a placeholder for an empty one.
pub fn title_or_placeholder(title: &str) -> String {
    if title.trim().is_empty() { "New session".to_owned() } else { title.to_owned() }
}

/// The value of `data-auto-approve`.
pub const fn level_name(level: AutoApprove) -> &'static str {
    match level {
        AutoApprove::Off => "off",
        AutoApprove::Reading => "reading",
        AutoApprove::Edits => "edits",
        AutoApprove::Everything => "everything",
    }
}

/// The text for a state.
pub const fn state_text(state: SessionState) -> &'static str {
    match state {
        SessionState::Idle => "Idle",
        SessionState::Creating => "Starting",
        SessionState::Streaming => "Working",
        SessionState::WaitingApproval => "Waiting for your approval",
        SessionState::WaitingInput => "Waiting for your answer",
        SessionState::Completed => "Done",
        SessionState::Paused => "Paused",
        SessionState::Error => "Failed",
        SessionState::Stopped => "Stopped",
    }
}

/// The icon of a state; an idle session has none.
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
