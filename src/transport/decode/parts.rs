//! What both snapshots and events carry.

use pilothouse_core::SessionState;
use pilothouse_core::ask::{Ask, AskKind, ClosedBy};
use pilothouse_core::event::{ContextUsage, ModelInfo};
use pilothouse_core::queue::{Lane, Scheduled};
use pilothouse_core::wire::{Capabilities, RetryNote};
use serde_json::Value;

use super::fields::Fields;
use super::message;

pub(super) fn state(name: &str) -> SessionState {
    let states = [
        SessionState::Creating,
        SessionState::Streaming,
        SessionState::WaitingApproval,
        SessionState::WaitingInput,
        SessionState::Completed,
        SessionState::Paused,
        SessionState::Error,
        SessionState::Stopped,
    ];
    states.into_iter().find(|state| state.name() == name).unwrap_or_default()
}

pub(super) fn scheduled(value: Value) -> Scheduled {
    let mut fields = Fields::of(value);
    Scheduled {
        id: fields.text("id"),
        lane: if fields.text("lane") == "followUp" { Lane::FollowUp } else { Lane::Steer },
        text: fields.text("text"),
        images: fields.list("images", message::image),
    }
}

pub(super) fn ask(value: Value) -> Ask {
    let mut fields = Fields::of(value);
    let kind = fields.text("kind");
    let kinds = [AskKind::Select, AskKind::Confirm, AskKind::Input, AskKind::Editor];
    Ask {
        id: fields.text("id"),
        // A question of an unknown kind can still be read and cancelled.
        kind: kinds.into_iter().find(|known| known.name() == kind).unwrap_or(AskKind::Select),
        approval: fields.flag("approval"),
        title: fields.text("title"),
        message: fields.text("message"),
        options: fields.texts("options"),
        placeholder: fields.text("placeholder"),
        prefill: fields.text("prefill"),
        timeout_ms: fields.optional_number("timeout_ms"),
    }
}

pub(super) fn closed_by(name: &str) -> ClosedBy {
    match name {
        "answer" => ClosedBy::Answer,
        "expired" => ClosedBy::Expired,
        "stopped" => ClosedBy::Stopped,
        _ => ClosedBy::Declined,
    }
}

pub(super) fn context_usage(value: Value) -> ContextUsage {
    let mut fields = Fields::of(value);
    ContextUsage {
        tokens: fields.optional_number("tokens"),
        context_window: fields.number("contextWindow"),
        percent: fields.optional_fraction("percent"),
        cost: fields.optional_fraction("cost"),
    }
}

pub(super) fn model(value: Value) -> ModelInfo {
    let mut fields = Fields::of(value);
    ModelInfo {
        provider: fields.text("provider"),
        id: fields.text("id"),
        name: fields.text("name"),
        reasoning: fields.flag("reasoning"),
    }
}

pub(super) fn retry_note(value: Value) -> RetryNote {
    let mut fields = Fields::of(value);
    RetryNote {
        attempt: fields.small("attempt"),
        max_attempts: fields.small("max_attempts"),
        delay_ms: fields.number("delay_ms"),
        error_message: fields.text("error_message"),
    }
}

pub(super) fn capabilities(value: Value) -> Capabilities {
    let mut fields = Fields::of(value);
    Capabilities {
        images: fields.flag("images"),
        bash: fields.flag("bash"),
        steering: fields.flag("steering"),
        models: fields.flag("models"),
        thinking_levels: fields.texts("thinking_levels"),
    }
}
