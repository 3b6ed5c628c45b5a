//! Decodes one line of pi's output. Events of an unknown type are kept as `Raw`; a line that is not a JSON object is
//! reported and does not affect the next one.

use pilothouse_core::conversation::ask::{Ask, AskKind};
use pilothouse_core::conversation::queue::QueueCounts;
use pilothouse_core::json::{FromJson, Object};
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
    let Some(mut object) = serde_json::from_slice(line).ok().and_then(Object::of) else {
        return vec![Incoming::Unreadable];
    };
    let kind = object.text("type");
    match kind.as_str() {
        "response" => vec![Incoming::Response(Response {
            id: object.text("id"),
            command: object.text("command"),
            success: object.flag("success"),
            data: object.take("data"),
            error: object.text("error"),
        })],
        "queue_update" => {
            let (steering, follow_up) =
                (object.length_of_array("steering"), object.length_of_array("followUp"));
            vec![Incoming::QueueLength(QueueCounts { steering, follow_up })]
        }
        "bash_execution_update" => {
            vec![Incoming::ShellOutput { request_id: object.text("id"), delta: object.text("delta") }]
        }
        "extension_ui_request" => vec![extension_request(object)],
        // Before 1.0 there is no `agent_settled`: `agent_end` also ends the run.
        "agent_end" if !object.contains("willRetry") => vec![
            Incoming::Event(Event::AgentEnd { will_retry: false }),
            Incoming::Event(Event::AgentSettled { aborted: false }),
        ],
        _ => vec![Incoming::Event(event(&kind, object))],
    }
}

fn event(kind: &str, mut object: Object) -> Event {
    match kind {
        "agent_start" => Event::AgentStart,
        "agent_end" => Event::AgentEnd { will_retry: object.flag("willRetry") },
        "agent_settled" => Event::AgentSettled { aborted: object.flag("aborted") },
        "turn_start" => Event::TurnStart,
        "turn_end" => Event::TurnEnd,
        "message_start" => Event::MessageStart { message: message(object.take("message")) },
        "message_end" => Event::MessageEnd { message: message(object.take("message")) },
        "message_update" => {
            Event::MessageUpdate { update: message_update(object.object("assistantMessageEvent")) }
        }
        "tool_execution_start" => Event::ToolExecutionStart {
            tool_call_id: object.text("toolCallId"),
            tool_name: object.text("toolName"),
            args: object.take("args"),
        },
        "tool_execution_update" => Event::ToolExecutionUpdate {
            tool_call_id: object.text("toolCallId"),
            tool_name: object.text("toolName"),
            partial_result: ToolOutput::from_value(object.take("partialResult")),
        },
        "tool_execution_end" => Event::ToolExecutionEnd {
            tool_call_id: object.text("toolCallId"),
            tool_name: object.text("toolName"),
            result: ToolOutput::from_value(object.take("result")),
            is_error: object.flag("isError"),
            duration_ms: object.optional_number("durationMs"),
        },
        "compaction_start" => Event::CompactionStart { reason: object.text("reason") },
        "compaction_end" => Event::CompactionEnd {
            summary: object.object("result").optional_text("summary"),
            aborted: object.flag("aborted"),
            error: object.optional_text("errorMessage"),
        },
        "auto_retry_start" => Event::AutoRetryStart {
            attempt: object.small_number("attempt"),
            max_attempts: object.small_number("maxAttempts"),
            delay_ms: object.number("delayMs"),
            error_message: object.text("errorMessage"),
        },
        "auto_retry_end" => Event::AutoRetryEnd { success: object.flag("success") },
        "thinking_level_changed" => Event::ThinkingLevelChanged { level: object.text("level") },
        "session_info_changed" => Event::TitleChanged { title: object.text("name") },
        "extension_error" => Event::Notice {
            level: NoticeLevel::Error,
            text: format!("{}: {}", object.text("extensionPath"), object.text("error")),
        },
        // Reported in addition to events that already show the same thing.
        "entry_appended"
        | "summarization_retry_scheduled"
        | "summarization_retry_attempt_start"
        | "summarization_retry_finished" => Event::Unknown,
        _ => raw(kind, object),
    }
}

/// Keeps an unknown event as it is; replaces the data of a large one by its size.
fn raw(name: &str, mut object: Object) -> Event {
    let data: Value = object.rest().unwrap_or_default();
    let length = data.to_string().len();
    let data = if length <= RAW_EVENT_BYTES { data } else { json!({ "bytes": length }) };
    Event::Raw { name: name.to_owned(), data }
}

/// Decodes a step of a message. Before 1.0 the start of a tool call carries the call only in the partial message.
fn message_update(mut object: Object) -> Update {
    let partial = object.object("partial").take("content");
    let mut update = Update::from_json(object.into_value()).unwrap_or(Update::Unknown);
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
fn extension_request(mut object: Object) -> Incoming {
    let kind = match object.text("method").as_str() {
        "select" => AskKind::Select,
        "confirm" => AskKind::Confirm,
        "input" => AskKind::Input,
        "editor" => AskKind::Editor,
        "notify" => {
            let level = match object.text("notifyType").as_str() {
                "error" => NoticeLevel::Error,
                "warning" => NoticeLevel::Warning,
                _ => NoticeLevel::Info,
            };
            return Incoming::Event(Event::Notice { level, text: object.text("message") });
        }
        "set_editor_text" => return Incoming::Event(Event::EditorText { text: object.text("text") }),
        "setStatus" => {
            let (key, text) = (object.text("statusKey"), object.optional_text("statusText"));
            return Incoming::Event(Event::StatusChanged { key, text });
        }
        "setWidget" => {
            let (key, lines) = (object.text("widgetKey"), object.texts("widgetLines"));
            return Incoming::Event(Event::WidgetChanged { key, lines });
        }
        "setTitle" => return Incoming::Event(Event::WindowTitle { title: object.text("title") }),
        other => return Incoming::Event(raw(&format!("extension_ui_request:{other}"), object)),
    };
    Incoming::Ask(Ask {
        id: object.text("id"),
        kind,
        approval: false,
        title: object.text("title"),
        message: object.text("message"),
        options: object.texts("options"),
        placeholder: object.text("placeholder"),
        prefill: object.text("prefill"),
        timeout_ms: object.optional_number("timeout"),
        ..Ask::default()
    })
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
