//! Events.

use pilothouse_core::event::{Event, NoticeLevel, ToolOutput, Update};
use serde_json::Value;

use super::fields::Fields;
use super::{message, parts};

pub(super) fn event(value: Value) -> Event {
    let mut fields = Fields::of(value);
    match fields.text("type").as_str() {
        "agent_start" => Event::AgentStart,
        "agent_end" => Event::AgentEnd { will_retry: fields.flag("willRetry") },
        "agent_settled" => Event::AgentSettled { aborted: fields.flag("aborted") },
        "turn_start" => Event::TurnStart,
        "turn_end" => Event::TurnEnd,
        "message_start" => Event::MessageStart { message: message::message(fields.take("message")) },
        "message_update" => Event::MessageUpdate { update: update(fields.take("update")) },
        "message_end" => Event::MessageEnd { message: message::message(fields.take("message")) },
        "tool_execution_start" => Event::ToolExecutionStart {
            tool_call_id: fields.text("toolCallId"),
            tool_name: fields.text("toolName"),
            args: fields.take("args"),
        },
        "tool_execution_update" => Event::ToolExecutionUpdate {
            tool_call_id: fields.text("toolCallId"),
            tool_name: fields.text("toolName"),
            partial_result: tool_output(fields.take("partialResult")),
        },
        "tool_execution_end" => Event::ToolExecutionEnd {
            tool_call_id: fields.text("toolCallId"),
            tool_name: fields.text("toolName"),
            result: tool_output(fields.take("result")),
            is_error: fields.flag("isError"),
            duration_ms: fields.optional_number("durationMs"),
        },
        "compaction_start" => Event::CompactionStart { reason: fields.text("reason") },
        "compaction_end" => Event::CompactionEnd {
            summary: fields.optional_text("summary"),
            aborted: fields.flag("aborted"),
            error: fields.optional_text("error"),
        },
        "auto_retry_start" => Event::AutoRetryStart {
            attempt: fields.small("attempt"),
            max_attempts: fields.small("maxAttempts"),
            delay_ms: fields.number("delayMs"),
            error_message: fields.text("errorMessage"),
        },
        "auto_retry_end" => Event::AutoRetryEnd { success: fields.flag("success") },
        "model_changed" => Event::ModelChanged { model: fields.optional("model", parts::model) },
        "thinking_level_changed" => Event::ThinkingLevelChanged { level: fields.text("level") },
        "title_changed" => Event::TitleChanged { title: fields.text("title") },
        "notice" => Event::Notice { level: notice_level(&fields.text("level")), text: fields.text("text") },
        "queue_update" => Event::QueueUpdate { items: fields.list("items", parts::scheduled) },
        "bash_start" => Event::BashStart {
            id: fields.text("id"),
            command: fields.text("command"),
            exclude_from_context: fields.flag("excludeFromContext"),
        },
        "bash_execution_update" => {
            Event::BashExecutionUpdate { id: fields.text("id"), delta: fields.text("delta") }
        }
        "bash_end" => Event::BashEnd {
            id: fields.text("id"),
            result: message::bash_result(&mut Fields::of(fields.take("result"))),
        },
        "session_state" => {
            Event::SessionState { state: parts::state(&fields.text("state")), reason: fields.text("reason") }
        }
        "ask_opened" => Event::AskOpened { ask: parts::ask(fields.take("ask")) },
        "ask_closed" => {
            Event::AskClosed { ask_id: fields.text("askId"), by: parts::closed_by(&fields.text("by")) }
        }
        "process_exit" => Event::ProcessExit {
            code: fields.optional_signed("code"),
            signal: fields.optional_signed("signal"),
            expected: fields.flag("expected"),
            stderr: fields.texts("stderr"),
        },
        "context_usage" => Event::ContextUsage { usage: parts::context_usage(fields.take("usage")) },
        "capabilities_changed" => {
            Event::CapabilitiesChanged { capabilities: parts::capabilities(fields.take("capabilities")) }
        }
        _ => Event::Unknown,
    }
}

fn update(value: Value) -> Update {
    let mut fields = Fields::of(value);
    let kind = fields.text("type");
    let content_index = fields.index("contentIndex");
    match kind.as_str() {
        "text_delta" => Update::TextDelta { content_index, delta: fields.text("delta") },
        "text_end" => Update::TextEnd { content_index, content: fields.text("content") },
        "thinking_delta" => Update::ThinkingDelta { content_index, delta: fields.text("delta") },
        "thinking_end" => Update::ThinkingEnd { content_index, content: fields.text("content") },
        "toolcall_start" => {
            Update::ToolcallStart { content_index, id: fields.text("id"), tool_name: fields.text("toolName") }
        }
        "toolcall_end" => Update::ToolcallEnd {
            content_index,
            tool_call: message::tool_call(&mut Fields::of(fields.take("toolCall"))),
        },
        _ => Update::Unknown,
    }
}

fn tool_output(value: Value) -> ToolOutput {
    let mut fields = Fields::of(value);
    ToolOutput {
        text: fields.text("text"),
        images: fields.list("images", message::image),
        details: fields.some("details"),
    }
}

fn notice_level(name: &str) -> NoticeLevel {
    match name {
        "warning" => NoticeLevel::Warning,
        "error" => NoticeLevel::Error,
        _ => NoticeLevel::Info,
    }
}
