//! Reads one line of pi's output. Unknown types are kept as `Unknown` events; a line that is no JSON object is told,
//! and never stops the next one.

use pilothouse_core::ask::{Ask, AskKind};
use pilothouse_core::event::{ContextUsage, Event, ModelInfo, NoticeLevel, ToolOutput, Update};
use pilothouse_core::message::{Message, StopReason};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// What a line of pi's means to the session that runs it.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    Response(Response),
    Event(Event),
    /// pi's own queues, complete: how many messages wait in each lane.
    Waiting {
        steering: usize,
        follow_up: usize,
    },
    Ask(Ask),
    /// Output of a `bash` command of ours, by the id of its request.
    BashOutput {
        request_id: String,
        delta: String,
    },
    /// pi's own text for the composer.
    EditorText(String),
    /// Not JSON, or not an object.
    Junk,
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
    let Ok(Value::Object(mut object)) = serde_json::from_slice(line) else { return vec![Incoming::Junk] };
    let kind = text(&mut object, "type");
    match kind.as_str() {
        "response" => vec![Incoming::Response(Response {
            id: text(&mut object, "id"),
            command: text(&mut object, "command"),
            success: flag(&object, "success"),
            data: object.remove("data").unwrap_or_default(),
            error: text(&mut object, "error"),
        })],
        "queue_update" => {
            let count = |key| object.get(key).and_then(Value::as_array).map_or(0, Vec::len);
            vec![Incoming::Waiting { steering: count("steering"), follow_up: count("followUp") }]
        }
        "bash_execution_update" => vec![Incoming::BashOutput {
            request_id: text(&mut object, "id"),
            delta: text(&mut object, "delta"),
        }],
        "extension_ui_request" => vec![dialog(object)],
        // Before 1.0 there is no `agent_settled`: the end of the loop is the end of the run.
        "agent_end" if !object.contains_key("willRetry") => vec![
            Incoming::Event(Event::AgentEnd { will_retry: false }),
            Incoming::Event(Event::AgentSettled { aborted: false }),
        ],
        _ => vec![Incoming::Event(event(&kind, object))],
    }
}

fn event(kind: &str, mut object: Map<String, Value>) -> Event {
    match kind {
        "agent_start" => Event::AgentStart,
        "agent_end" => Event::AgentEnd { will_retry: flag(&object, "willRetry") },
        "agent_settled" => Event::AgentSettled { aborted: flag(&object, "aborted") },
        "turn_start" => Event::TurnStart,
        "turn_end" => Event::TurnEnd,
        "message_start" => {
            Event::MessageStart { message: message(object.remove("message").unwrap_or_default()) }
        }
        "message_end" => Event::MessageEnd { message: message(object.remove("message").unwrap_or_default()) },
        "message_update" => match object.remove("assistantMessageEvent") {
            Some(Value::Object(update)) => Event::MessageUpdate { update: message_update(update) },
            _ => Event::Unknown,
        },
        "tool_execution_start" => Event::ToolExecutionStart {
            tool_call_id: text(&mut object, "toolCallId"),
            tool_name: text(&mut object, "toolName"),
            args: object.remove("args").unwrap_or_default(),
        },
        "tool_execution_update" => Event::ToolExecutionUpdate {
            tool_call_id: text(&mut object, "toolCallId"),
            tool_name: text(&mut object, "toolName"),
            partial_result: ToolOutput::from_value(object.remove("partialResult").unwrap_or_default()),
        },
        "tool_execution_end" => Event::ToolExecutionEnd {
            tool_call_id: text(&mut object, "toolCallId"),
            tool_name: text(&mut object, "toolName"),
            result: ToolOutput::from_value(object.remove("result").unwrap_or_default()),
            is_error: flag(&object, "isError"),
            duration_ms: object.get("durationMs").and_then(Value::as_u64),
        },
        "compaction_start" => Event::CompactionStart { reason: text(&mut object, "reason") },
        "compaction_end" => Event::CompactionEnd {
            summary: object
                .get("result")
                .and_then(|result| result.get("summary"))
                .and_then(Value::as_str)
                .map(str::to_owned),
            aborted: flag(&object, "aborted"),
            error: object.remove("errorMessage").and_then(into_text),
        },
        "auto_retry_start" => Event::AutoRetryStart {
            attempt: number(&object, "attempt") as u32,
            max_attempts: number(&object, "maxAttempts") as u32,
            delay_ms: number(&object, "delayMs"),
            error_message: text(&mut object, "errorMessage"),
        },
        "auto_retry_end" => Event::AutoRetryEnd { success: flag(&object, "success") },
        "thinking_level_changed" => Event::ThinkingLevelChanged { level: text(&mut object, "level") },
        "session_info_changed" => Event::TitleChanged { title: text(&mut object, "name") },
        "extension_error" => Event::Notice {
            level: NoticeLevel::Error,
            text: format!("{}: {}", text(&mut object, "extensionPath"), text(&mut object, "error")),
        },
        _ => Event::Unknown,
    }
}

fn message_update(mut update: Map<String, Value>) -> Update {
    let content_index = number(&update, "contentIndex") as usize;
    match text(&mut update, "type").as_str() {
        "text_delta" => Update::TextDelta { content_index, delta: text(&mut update, "delta") },
        "text_end" => Update::TextEnd { content_index, content: text(&mut update, "content") },
        "thinking_delta" => Update::ThinkingDelta { content_index, delta: text(&mut update, "delta") },
        "thinking_end" => Update::ThinkingEnd { content_index, content: text(&mut update, "content") },
        "toolcall_start" => {
            // Before 1.0 the call is only in the message so far.
            let partial =
                update.get("partial").and_then(|partial| partial.get("content")?.get(content_index)).cloned();
            let field = |key: &str| {
                partial.as_ref().and_then(|call| call.get(key)?.as_str()).unwrap_or_default().to_owned()
            };
            let either = |given: String, key: &str| if given.is_empty() { field(key) } else { given };
            Update::ToolcallStart {
                content_index,
                id: either(text(&mut update, "id"), "id"),
                tool_name: either(text(&mut update, "toolName"), "name"),
            }
        }
        "toolcall_end" => match decode_value(update.remove("toolCall").unwrap_or_default()) {
            Some(tool_call) => Update::ToolcallEnd { content_index, tool_call },
            None => Update::Unknown,
        },
        _ => Update::Unknown,
    }
}

/// A message of pi's, live or from a session file. A stop in the middle of a tool leaves an empty reply that calls
/// itself an error; it is the person's stop, not a failure.
pub fn message(value: Value) -> Message {
    let mut message = decode_value(value).unwrap_or(Message::Hidden);
    if let Message::Assistant {
        stop_reason: stop_reason @ StopReason::Error, error_message: Some(error), ..
    } = &mut message
        && error.as_str() == "This operation was aborted"
    {
        *stop_reason = StopReason::Aborted;
    }
    message
}

fn dialog(mut object: Map<String, Value>) -> Incoming {
    let method = text(&mut object, "method");
    let kind = match method.as_str() {
        "select" => AskKind::Select,
        "confirm" => AskKind::Confirm,
        "input" => AskKind::Input,
        "editor" => AskKind::Editor,
        "notify" => {
            let level = match text(&mut object, "notifyType").as_str() {
                "error" => NoticeLevel::Error,
                "warning" => NoticeLevel::Warning,
                _ => NoticeLevel::Info,
            };
            return Incoming::Event(Event::Notice { level, text: text(&mut object, "message") });
        }
        "set_editor_text" => return Incoming::EditorText(text(&mut object, "text")),
        _ => return Incoming::Event(Event::Unknown),
    };
    let options = object.remove("options").and_then(|options| match options {
        Value::Array(options) => Some(options.into_iter().filter_map(into_text).collect()),
        _ => None,
    });
    Incoming::Ask(Ask {
        id: text(&mut object, "id"),
        kind,
        approval: false,
        title: text(&mut object, "title"),
        message: text(&mut object, "message"),
        options: options.unwrap_or_default(),
        placeholder: text(&mut object, "placeholder"),
        prefill: text(&mut object, "prefill"),
        timeout_ms: object.get("timeout").and_then(Value::as_u64),
    })
}

/// `get_session_stats`.
pub fn context_usage(data: &Value) -> Option<ContextUsage> {
    let mut usage: ContextUsage = decode_value(data.get("contextUsage")?.clone())?;
    usage.cost = data.get("cost").and_then(Value::as_f64);
    Some(usage)
}

/// The `model` of `get_state` and `set_model`.
pub fn model(value: &Value) -> Option<ModelInfo> {
    decode_value(value.clone())
}

fn decode_value<T: DeserializeOwned>(value: Value) -> Option<T> {
    serde_json::from_value(value).ok()
}

fn text(object: &mut Map<String, Value>, key: &str) -> String {
    object.remove(key).and_then(into_text).unwrap_or_default()
}

fn into_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn flag(object: &Map<String, Value>, key: &str) -> bool {
    object.get(key).and_then(Value::as_bool).unwrap_or_default()
}

fn number(object: &Map<String, Value>, key: &str) -> u64 {
    object.get(key).and_then(Value::as_u64).unwrap_or_default()
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
