//! What goes over stdout, in pi's words: events and responses, one JSON object per line.
//!
//! Types only: when something is sent is decided elsewhere. Field order follows pi's own, so that a line of the demo
//! and a recorded line can be read side by side.

use serde::Serialize;
use serde_json::Value;

use super::message::{Message, ToolCall, ToolContent, Usage};

#[derive(Serialize, Debug)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(crate) enum Event<'a> {
    AgentStart,
    TurnStart,
    MessageStart {
        message: &'a Message,
    },
    MessageUpdate {
        usage: &'a Usage,
        assistant_message_event: Growth<'a>,
    },
    MessageEnd {
        message: &'a Message,
    },
    ToolExecutionStart {
        tool_call_id: &'a str,
        tool_name: &'a str,
        args: &'a Value,
    },
    ToolExecutionUpdate {
        tool_call_id: &'a str,
        tool_name: &'a str,
        args: &'a Value,
        partial_result: PartialResult<'a>,
    },
    ToolExecutionEnd {
        tool_call_id: &'a str,
        tool_name: &'a str,
        result: &'a ToolContent,
        is_error: bool,
        duration_ms: u64,
    },
    TurnEnd {
        message: &'a Message,
        tool_results: &'a [Message],
    },
    AgentEnd {
        messages: &'a [Message],
        will_retry: bool,
    },
    AgentSettled {
        aborted: bool,
    },
    QueueUpdate {
        steering: Vec<String>,
        follow_up: Vec<String>,
    },
    AutoRetryStart {
        attempt: u32,
        max_attempts: u32,
        delay_ms: u64,
        error_message: &'a str,
    },
    AutoRetryEnd {
        success: bool,
        attempt: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        final_error: Option<&'a str>,
    },
    CompactionStart {
        reason: &'a str,
    },
    CompactionEnd {
        reason: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<&'a Value>,
        aborted: bool,
        will_retry: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        error_message: Option<String>,
    },
    EntryAppended {
        entry: &'a Value,
    },
    BashExecutionUpdate {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a Value>,
        delta: &'a str,
    },
    ThinkingLevelChanged {
        level: &'a str,
    },
    SessionInfoChanged {
        name: &'a str,
    },
}

/// A tool's result so far: cumulative, and without details while there is nothing to detail.
#[derive(Serialize, Debug)]
pub(crate) struct PartialResult<'a> {
    pub(crate) content: &'a [super::message::Content],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) details: Option<&'a Value>,
}

/// One step of a reply as it streams in; `content_index` counts the blocks of the message.
#[derive(Serialize, Debug)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(crate) enum Growth<'a> {
    ThinkingStart {
        content_index: usize,
    },
    ThinkingDelta {
        content_index: usize,
        delta: &'a str,
    },
    ThinkingEnd {
        content_index: usize,
        content: &'a str,
    },
    TextStart {
        content_index: usize,
    },
    TextDelta {
        content_index: usize,
        delta: &'a str,
    },
    TextEnd {
        content_index: usize,
        content: &'a str,
    },
    #[serde(rename = "toolcall_start")]
    ToolCallStart {
        content_index: usize,
        id: &'a str,
        tool_name: &'a str,
    },
    #[serde(rename = "toolcall_delta")]
    ToolCallDelta {
        content_index: usize,
        delta: &'a str,
    },
    #[serde(rename = "toolcall_end")]
    ToolCallEnd {
        content_index: usize,
        tool_call: &'a ToolCall,
    },
}

/// The answer to one command. `id` is the asker's own and comes back as it was sent, whatever its type.
#[derive(Serialize, Debug)]
pub(crate) struct Response<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<&'a Value>,
    pub(crate) r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) command: Option<&'a str>,
    pub(crate) success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
