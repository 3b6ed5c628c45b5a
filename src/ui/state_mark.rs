//! A session's state as a small mark: a shape and a word, never a colour alone.

use leptos::prelude::*;
use pilothouse_core::SessionState;

use super::dynamic::live;
use super::icon::{Glyph, Icon};

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

const fn state_icon(state: SessionState) -> Option<Icon> {
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

#[component]
pub fn StateMark(#[prop(into)] state: Signal<SessionState>) -> impl IntoView {
    view! {
        <span class="state-mark" data-of=live(move || state.get().name()) title=live(move || state_words(state.get()))>
            {live(move || match state_icon(state.get()) {
                Some(icon) => view! { <Glyph icon /> }.into_any(),
                None => view! { <span class="state-dot" aria-hidden="true"></span> }.into_any(),
            })}
            <span class="visually-hidden">{live(move || state_words(state.get()))}</span>
        </span>
    }
}
