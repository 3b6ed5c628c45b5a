//! Rows, and the agents' own messages inside events.

use pilothouse_core::message::{Content, Message, Part, StopReason, ToolCall};
use pilothouse_core::{BashResult, Image, Kind, Mark, Phase, ToolStep, UiMessage};
use serde_json::Value;

use super::fields::{self, Fields};

pub(super) fn row(value: Value) -> UiMessage {
    let mut fields = Fields::of(value);
    UiMessage {
        id: fields.text("id"),
        kind: kind(&fields.text("kind")),
        text: fields.text("text"),
        tool_step: fields.optional("tool_step", tool_step),
        bash_result: fields.optional("bash_result", |value| bash_result(&mut Fields::of(value))),
        images: fields.list("images", image),
        mark: mark(&fields.text("mark")),
    }
}

fn kind(name: &str) -> Kind {
    let kinds = [Kind::User, Kind::Assistant, Kind::Thinking, Kind::Tool, Kind::Bash, Kind::Error];
    kinds.into_iter().find(|kind| kind.name() == name).unwrap_or_default()
}

fn mark(name: &str) -> Option<Mark> {
    match name {
        "sending" => Some(Mark::Sending),
        "refused" => Some(Mark::Refused),
        "interrupted" => Some(Mark::Interrupted),
        _ => None,
    }
}

fn tool_step(value: Value) -> ToolStep {
    let mut fields = Fields::of(value);
    let phases = [Phase::Running, Phase::Done, Phase::Error];
    let phase = fields.text("phase");
    ToolStep {
        call_id: fields.text("call_id"),
        tool_name: fields.text("tool_name"),
        tool_args: fields.take("tool_args"),
        phase: phases.into_iter().find(|known| known.name() == phase).unwrap_or_default(),
        result: fields.optional_text("result"),
        details: fields.some("details"),
        duration_ms: fields.optional_number("duration_ms"),
    }
}

pub(super) fn bash_result(fields: &mut Fields) -> BashResult {
    BashResult {
        command: fields.text("command"),
        output: fields.text("output"),
        exit_code: fields.optional_signed("exitCode"),
        cancelled: fields.flag("cancelled"),
        truncated: fields.flag("truncated"),
        exclude_from_context: fields.flag("excludeFromContext"),
        running: fields.flag("running"),
    }
}

pub(super) fn image(value: Value) -> Image {
    let mut fields = Fields::of(value);
    Image { mime_type: fields.text("mimeType"), data: fields.text("data"), blob: fields.text("blob") }
}

pub(super) fn message(value: Value) -> Message {
    let mut fields = Fields::of(value);
    match fields.text("role").as_str() {
        "user" => {
            Message::User { content: content(&mut fields), client_id: fields.optional_text("clientId") }
        }
        "assistant" => Message::Assistant {
            content: content(&mut fields),
            stop_reason: stop_reason(&fields.text("stopReason")),
            error_message: fields.optional_text("errorMessage"),
        },
        "toolResult" => Message::ToolResult {
            tool_call_id: fields.text("toolCallId"),
            tool_name: fields.text("toolName"),
            content: content(&mut fields),
            details: fields.some("details"),
            is_error: fields.flag("isError"),
            duration_ms: fields.optional_number("durationMs"),
        },
        "bashExecution" => Message::BashExecution { result: bash_result(&mut fields) },
        "custom" => Message::Custom { content: content(&mut fields), display: fields.flag("display") },
        "compactionSummary" => Message::CompactionSummary { summary: fields.text("summary") },
        "branchSummary" => Message::BranchSummary { summary: fields.text("summary") },
        _ => Message::Hidden,
    }
}

fn content(fields: &mut Fields) -> Content {
    Content(fields::list(fields.take("content"), part))
}

fn part(value: Value) -> Part {
    let mut fields = Fields::of(value);
    match fields.text("type").as_str() {
        "text" => Part::Text { text: fields.text("text") },
        "thinking" => Part::Thinking { thinking: fields.text("thinking") },
        "toolCall" => Part::ToolCall(tool_call(&mut fields)),
        "image" => Part::Image(Image {
            mime_type: fields.text("mimeType"),
            data: fields.text("data"),
            blob: fields.text("blob"),
        }),
        _ => Part::Unknown,
    }
}

pub(super) fn tool_call(fields: &mut Fields) -> ToolCall {
    ToolCall {
        id: fields.text("id"),
        name: fields.text("name"),
        arguments: fields.take("arguments"),
        arguments_error: fields.optional_text("argumentsError"),
    }
}

fn stop_reason(name: &str) -> StopReason {
    match name {
        "stop" => StopReason::Stop,
        "length" => StopReason::Length,
        "toolUse" => StopReason::ToolUse,
        "error" => StopReason::Error,
        "aborted" => StopReason::Aborted,
        _ => StopReason::Pending,
    }
}
