//! Decodes one line of pi's output. Events of an unknown type are kept as `Raw`; a line that is not a JSON object is
//! reported and does not affect the next one.

use pilothouse_core::conversation::ask::{Ask, AskKind};
use pilothouse_core::conversation::queue::QueueCounts;
use pilothouse_core::json::Fields;
use pilothouse_core::limits::RAW_EVENT_BYTES;
use pilothouse_core::protocol::event::{Event, NoticeLevel, ToolOutput, Update};
use serde_json::{Value, json};

use crate::history::entry::message;

/// A decoded line.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    Response(Response),
    Event(Event),
    /// The number of messages in pi's own queue, by lane.
    QueueLength(QueueCounts),
    Ask(Ask),
    /// Output of a `bash` command, by the id of its request.
    ShellOutput {
        request_id: String,
        delta: String,
    },
    /// Not JSON, or not an object.
    Unreadable,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Response {
    pub id: String,
    pub command: String,
    pub success: bool,
    pub data: Value,
    pub error: String,
}

pub fn decode(line: &[u8]) -> Vec<Incoming> {
    let Some(mut fields) = serde_json::from_slice(line).ok().and_then(Fields::of) else {
        return vec![Incoming::Unreadable];
    };
    let kind = fields.text("type");
    match kind.as_str() {
        "response" => vec![Incoming::Response(Response {
            id: fields.text("id"),
            command: fields.text("command"),
            success: fields.flag("success"),
            data: fields.value("data"),
            error: fields.text("error"),
        })],
        "queue_update" => {
            let (steering, follow_up) =
                (fields.length_of_array("steering"), fields.length_of_array("followUp"));
            vec![Incoming::QueueLength(QueueCounts { steering, follow_up })]
        }
        "bash_execution_update" => {
            vec![Incoming::ShellOutput { request_id: fields.text("id"), delta: fields.text("delta") }]
        }
        "extension_ui_request" => vec![extension_request(fields)],
        // Before 1.0 there is no `agent_settled`: `agent_end` also ends the run.
        "agent_end" if !fields.has("willRetry") => vec![
            Incoming::Event(Event::AgentEnd { will_retry: false }),
            Incoming::Event(Event::AgentSettled { aborted: false }),
        ],
        _ => vec![Incoming::Event(event(&kind, fields))],
    }
}

fn event(kind: &str, mut fields: Fields) -> Event {
    match kind {
        "agent_start" => Event::AgentStart,
        "agent_end" => Event::AgentEnd { will_retry: fields.flag("willRetry") },
        "agent_settled" => Event::AgentSettled { aborted: fields.flag("aborted") },
        "turn_start" => Event::TurnStart,
        "turn_end" => Event::TurnEnd,
        "message_start" => Event::MessageStart { message: message(fields.value("message")) },
        "message_end" => Event::MessageEnd { message: message(fields.value("message")) },
        "message_update" => {
            Event::MessageUpdate { update: message_update(fields.object("assistantMessageEvent")) }
        }
        "tool_execution_start" => Event::ToolExecutionStart {
            tool_call_id: fields.text("toolCallId"),
            tool_name: fields.text("toolName"),
            args: fields.value("args"),
        },
        "tool_execution_update" => Event::ToolExecutionUpdate {
            tool_call_id: fields.text("toolCallId"),
            tool_name: fields.text("toolName"),
            partial_result: ToolOutput::from_value(fields.value("partialResult")),
        },
        "tool_execution_end" => Event::ToolExecutionEnd {
            tool_call_id: fields.text("toolCallId"),
            tool_name: fields.text("toolName"),
            result: ToolOutput::from_value(fields.value("result")),
            is_error: fields.flag("isError"),
            duration_ms: fields.optional_number("durationMs"),
        },
        "compaction_start" => Event::CompactionStart { reason: fields.text("reason") },
        "compaction_end" => Event::CompactionEnd {
            summary: fields.object("result").optional_text("summary"),
            aborted: fields.flag("aborted"),
            error: fields.optional_text("errorMessage"),
        },
        "auto_retry_start" => Event::AutoRetryStart {
            attempt: fields.small_number("attempt"),
            max_attempts: fields.small_number("maxAttempts"),
            delay_ms: fields.number("delayMs"),
            error_message: fields.text("errorMessage"),
        },
        "auto_retry_end" => Event::AutoRetryEnd { success: fields.flag("success") },
        "thinking_level_changed" => Event::ThinkingLevelChanged { level: fields.text("level") },
        "session_info_changed" => Event::TitleChanged { title: fields.text("name") },
        "extension_error" => Event::Notice {
            level: NoticeLevel::Error,
            text: format!("{}: {}", fields.text("extensionPath"), fields.text("error")),
        },
        // Reported in addition to events that already show the same thing.
        "entry_appended"
        | "summarization_retry_scheduled"
        | "summarization_retry_attempt_start"
        | "summarization_retry_finished" => Event::Unknown,
        _ => raw(kind, fields),
    }
}

/// Keeps an unknown event as it is; replaces the data of a large one by its size.
fn raw(name: &str, fields: Fields) -> Event {
    let data: Value = fields.rest().unwrap_or_default();
    let length = data.to_string().len();
    let data = if length <= RAW_EVENT_BYTES { data } else { json!({ "bytes": length }) };
    Event::Raw { name: name.to_owned(), data }
}

/// Decodes a step of a message. Before 1.0 the start of a tool call carries the call only in the partial message.
fn message_update(mut fields: Fields) -> Update {
    let partial = fields.object("partial").value("content");
    let mut update = Update::from_fields(fields);
    if let Update::ToolcallStart { content_index, id, tool_name } = &mut update
        && tool_name.is_empty()
        && let Some(call) = partial.get(*content_index)
    {
        let field = |key: &str| call.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        (*id, *tool_name) = (field("id"), field("name"));
    }
    update
}

/// Decodes a request of an extension: a question, a notice, or something to show beside the composer.
fn extension_request(mut fields: Fields) -> Incoming {
    let kind = match fields.text("method").as_str() {
        "select" => AskKind::Select,
        "confirm" => AskKind::Confirm,
        "input" => AskKind::Input,
        "editor" => AskKind::Editor,
        "notify" => {
            let level = match fields.text("notifyType").as_str() {
                "error" => NoticeLevel::Error,
                "warning" => NoticeLevel::Warning,
                _ => NoticeLevel::Info,
            };
            return Incoming::Event(Event::Notice { level, text: fields.text("message") });
        }
        "set_editor_text" => return Incoming::Event(Event::EditorText { text: fields.text("text") }),
        "setStatus" => {
            let (key, text) = (fields.text("statusKey"), fields.optional_text("statusText"));
            return Incoming::Event(Event::StatusChanged { key, text });
        }
        "setWidget" => {
            let (key, lines) = (fields.text("widgetKey"), fields.texts("widgetLines"));
            return Incoming::Event(Event::WidgetChanged { key, lines });
        }
        "setTitle" => return Incoming::Event(Event::WindowTitle { title: fields.text("title") }),
        other => return Incoming::Event(raw(&format!("extension_ui_request:{other}"), fields)),
    };
    Incoming::Ask(Ask {
        id: fields.text("id"),
        kind,
        approval: false,
        title: fields.text("title"),
        message: fields.text("message"),
        options: fields.texts("options"),
        placeholder: fields.text("placeholder"),
        prefill: fields.text("prefill"),
        timeout_ms: fields.optional_number("timeout"),
    })
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
