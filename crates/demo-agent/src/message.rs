//! The messages of a conversation as pi spells them, on the wire and in session files.
//!
//! Only what the demo writes itself has a type here. What it reads from a session file stays a JSON value: it was
//! perhaps written by a later version and must come out as it went in.

use serde::Serialize;
use serde_json::Value;

#[derive(Serialize, Clone, Debug)]
#[serde(tag = "role", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Message {
    User {
        content: Vec<Content>,
        timestamp: i64,
    },
    Assistant(AssistantMessage),
    ToolResult {
        tool_call_id: String,
        tool_name: String,
        content: Vec<Content>,
        #[serde(skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
        is_error: bool,
        duration_ms: u64,
        timestamp: i64,
    },
    BashExecution {
        command: String,
        output: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
        cancelled: bool,
        truncated: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        full_output_path: Option<String>,
        timestamp: i64,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        exclude_from_context: bool,
    },
}

#[derive(Serialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AssistantMessage {
    pub(crate) content: Vec<Content>,
    pub(crate) api: &'static str,
    pub(crate) provider: &'static str,
    pub(crate) model: &'static str,
    pub(crate) usage: Usage,
    pub(crate) stop_reason: StopReason,
    pub(crate) timestamp: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) response_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) raw_stop_reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) duration_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) thinking_level: Option<&'static str>,
}

#[derive(Serialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub(crate) enum StopReason {
    Pending,
    Stop,
    ToolUse,
    Aborted,
    Error,
}

#[derive(Serialize, Clone, Debug)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Content {
    Text {
        text: String,
    },
    Thinking {
        thinking: String,
        thinking_signature: &'static str,
    },
    Image {
        data: String,
        mime_type: String,
    },
    #[serde(untagged)]
    ToolCall(ToolCall),
}

impl Content {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            _ => None,
        }
    }
}

/// A tool call within an assistant message. Arguments that were cut off are empty, with the reason beside them.
#[derive(Serialize, Clone, Debug)]
#[serde(tag = "type", rename = "toolCall", rename_all = "camelCase")]
pub(crate) struct ToolCall {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) arguments_error: Option<String>,
}

/// What a tool gave back: content for the model, details and structured content for whoever shows it.
#[derive(Serialize, Clone, Debug, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolContent {
    pub(crate) content: Vec<Content>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) details: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) structured_content: Option<Value>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_error: bool,
}

#[derive(Serialize, Clone, Debug, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Usage {
    pub(crate) input: u64,
    pub(crate) output: u64,
    pub(crate) cache_read: u64,
    pub(crate) cache_write: u64,
    pub(crate) total_tokens: u64,
    pub(crate) cost: Cost,
}

/// All zero: there is no model behind the demo, so nothing costs anything.
#[derive(Serialize, Clone, Debug, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Cost {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
    total: u64,
}

impl Usage {
    pub(crate) fn new(input: u64, output: u64) -> Self {
        Self { input, output, total_tokens: input + output, ..Self::default() }
    }
}
