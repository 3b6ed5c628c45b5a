//! Reads events as the server writes them, and the steps of a message as agents do. What is not understood is
//! `Unknown`, never an error.

use super::{Event, LAST_BLOCK, Update};
use crate::conversation::message::Message;
use crate::json::Fields;

impl Event {
    /// Reads an event as the server writes it.
    pub fn from_fields(mut fields: Fields) -> Self {
        Self::read(&mut fields).unwrap_or(Self::Unknown)
    }

    fn read(fields: &mut Fields) -> Option<Self> {
        Some(match fields.text("type").as_str() {
            "agent_start" => Self::AgentStart,
            "agent_end" => Self::AgentEnd { will_retry: fields.flag("willRetry") },
            "agent_settled" => Self::AgentSettled { aborted: fields.flag("aborted") },
            "turn_start" => Self::TurnStart,
            "turn_end" => Self::TurnEnd,
            "message_start" => Self::MessageStart { message: Message::from_value(fields.value("message")) },
            "message_update" => Self::MessageUpdate { update: Update::from_fields(fields.object("update")) },
            "message_end" => Self::MessageEnd { message: Message::from_value(fields.value("message")) },
            "tool_execution_start" => Self::ToolExecutionStart {
                tool_call_id: fields.text("toolCallId"),
                tool_name: fields.text("toolName"),
                args: fields.value("args"),
            },
            "tool_execution_update" => Self::ToolExecutionUpdate {
                tool_call_id: fields.text("toolCallId"),
                tool_name: fields.text("toolName"),
                partial_result: fields.required("partialResult")?,
            },
            "tool_execution_end" => Self::ToolExecutionEnd {
                tool_call_id: fields.text("toolCallId"),
                tool_name: fields.text("toolName"),
                result: fields.required("result")?,
                is_error: fields.flag("isError"),
                duration_ms: fields.optional_number("durationMs"),
            },
            "compaction_start" => Self::CompactionStart { reason: fields.text("reason") },
            "compaction_end" => Self::CompactionEnd {
                summary: fields.optional_text("summary"),
                aborted: fields.flag("aborted"),
                error: fields.optional_text("error"),
            },
            "auto_retry_start" => Self::AutoRetryStart {
                attempt: fields.small_number("attempt"),
                max_attempts: fields.small_number("maxAttempts"),
                delay_ms: fields.number("delayMs"),
                error_message: fields.text("errorMessage"),
            },
            "auto_retry_end" => Self::AutoRetryEnd { success: fields.flag("success") },
            "model_changed" => Self::ModelChanged { model: fields.read("model") },
            "mode_changed" => Self::ModeChanged { mode: fields.text("mode") },
            "thinking_level_changed" => Self::ThinkingLevelChanged { level: fields.text("level") },
            "title_changed" => Self::TitleChanged { title: fields.text("title") },
            "status_changed" => {
                Self::StatusChanged { key: fields.text("key"), text: fields.optional_text("text") }
            }
            "widget_changed" => Self::WidgetChanged { key: fields.text("key"), lines: fields.texts("lines") },
            "editor_text" => Self::EditorText { text: fields.text("text") },
            "window_title" => Self::WindowTitle { title: fields.text("title") },
            "raw" => Self::Raw { name: fields.text("name"), data: fields.value("data") },
            "elsewhere" => Self::Elsewhere { active: fields.flag("active") },
            "notice" => Self::Notice { level: fields.required("level")?, text: fields.text("text") },
            "queue_update" => Self::QueueUpdate { items: fields.required("items")? },
            "bash_start" => Self::BashStart {
                id: fields.text("id"),
                command: fields.text("command"),
                exclude_from_context: fields.flag("excludeFromContext"),
            },
            "bash_execution_update" => {
                Self::BashExecutionUpdate { id: fields.text("id"), delta: fields.text("delta") }
            }
            "bash_end" => Self::BashEnd { id: fields.text("id"), result: fields.required("result")? },
            "session_state" => {
                Self::SessionState { state: fields.required("state")?, reason: fields.text("reason") }
            }
            "ask_opened" => Self::AskOpened { ask: fields.required("ask")? },
            "ask_closed" => Self::AskClosed { ask_id: fields.text("askId"), by: fields.required("by")? },
            "process_exit" => Self::ProcessExit {
                code: fields.optional_code("code"),
                signal: fields.optional_code("signal"),
                expected: fields.flag("expected"),
                stderr: fields.texts("stderr"),
            },
            "context_usage" => Self::ContextUsage { usage: fields.required("usage")? },
            "capabilities_changed" => {
                Self::CapabilitiesChanged { capabilities: fields.required("capabilities")? }
            }
            _ => return None,
        })
    }
}

impl Update {
    pub fn from_fields(mut fields: Fields) -> Self {
        let content_index = fields.index("contentIndex").unwrap_or(LAST_BLOCK);
        match fields.text("type").as_str() {
            "text_delta" => Self::TextDelta { content_index, delta: fields.text("delta") },
            "text_end" => Self::TextEnd { content_index, content: fields.text("content") },
            "thinking_delta" => Self::ThinkingDelta { content_index, delta: fields.text("delta") },
            "thinking_end" => Self::ThinkingEnd { content_index, content: fields.text("content") },
            "toolcall_start" => Self::ToolcallStart {
                content_index,
                id: fields.text("id"),
                tool_name: fields.text("toolName"),
            },
            "toolcall_end" => match fields.required("toolCall") {
                Some(tool_call) => Self::ToolcallEnd { content_index, tool_call },
                None => Self::Unknown,
            },
            _ => Self::Unknown,
        }
    }
}
