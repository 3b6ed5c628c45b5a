//! pi's JSON types: the messages of a conversation, and the events and responses on stdout, one object per line.
//!
//! Only the objects that the demo writes have a type. Entries read from a session file stay JSON values, because a
//! later version may have written them and they must not lose fields. The order of the fields follows pi's, so
//! that a line of the demo and a recorded line are easy to compare.

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

/// A tool call within an assistant message. Arguments that were cut off are empty, and `arguments_error` says why.
#[derive(Serialize, Clone, Debug)]
#[serde(tag = "type", rename = "toolCall", rename_all = "camelCase")]
pub(crate) struct ToolCall {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) arguments_error: Option<String>,
}

/// The result of a tool: content for the model, details and structured content for display.
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

/// The cost of a reply, always zero, because the demo has no model.
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

/// A line on stdout that no command asked for.
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
        assistant_message_event: StreamEvent<'a>,
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

/// The result of a tool so far. It is cumulative; `details` is absent until there is output.
#[derive(Serialize, Debug)]
pub(crate) struct PartialResult<'a> {
    pub(crate) content: &'a [Content],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) details: Option<&'a Value>,
}

/// One step of a streaming reply. `content_index` is the index of the block within the message.
#[derive(Serialize, Debug)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(crate) enum StreamEvent<'a> {
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

/// The response to one command. `id` repeats the id of the command, which may be any JSON value.
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
mod tests {
    use serde_json::json;

    use super::*;

    fn line(event: &Event) -> String {
        serde_json::to_string(event).unwrap()
    }

    #[test]
    fn events_have_the_names_and_field_order_of_pi() {
        assert_eq!(line(&Event::AgentStart), r#"{"type":"agent_start"}"#);
        assert_eq!(
            line(&Event::AgentSettled { aborted: true }),
            r#"{"type":"agent_settled","aborted":true}"#
        );
        assert_eq!(
            line(&Event::QueueUpdate { steering: vec!["a".to_owned()], follow_up: vec![] }),
            r#"{"type":"queue_update","steering":["a"],"followUp":[]}"#
        );
        assert_eq!(
            line(&Event::AutoRetryEnd { success: false, attempt: 3, final_error: Some("no") }),
            r#"{"type":"auto_retry_end","success":false,"attempt":3,"finalError":"no"}"#
        );
    }

    #[test]
    fn a_delta_has_the_index_of_its_block() {
        let usage = Usage::default();
        assert_eq!(
            line(&Event::MessageUpdate {
                usage: &usage,
                assistant_message_event: StreamEvent::TextDelta { content_index: 1, delta: "hi" }
            }),
            concat!(
                r#"{"type":"message_update","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"#,
                r#""cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"#,
                r#""assistantMessageEvent":{"type":"text_delta","contentIndex":1,"delta":"hi"}}"#
            )
        );
    }

    #[test]
    fn a_tool_call_starts_with_its_id_and_name() {
        let delta = StreamEvent::ToolCallStart { content_index: 2, id: "call_1", tool_name: "bash" };
        assert_eq!(
            serde_json::to_string(&delta).unwrap(),
            r#"{"type":"toolcall_start","contentIndex":2,"id":"call_1","toolName":"bash"}"#
        );
    }

    #[test]
    fn messages_have_the_format_of_pi() {
        let user = Message::User { content: vec![Content::text("Hello")], timestamp: 1 };
        assert_eq!(
            serde_json::to_string(&user).unwrap(),
            r#"{"role":"user","content":[{"type":"text","text":"Hello"}],"timestamp":1}"#
        );
        let result = Message::ToolResult {
            tool_call_id: "call_1".to_owned(),
            tool_name: "ls".to_owned(),
            content: vec![Content::text("src/")],
            details: None,
            is_error: false,
            duration_ms: 2,
            timestamp: 3,
        };
        assert_eq!(
            serde_json::to_string(&result).unwrap(),
            concat!(
                r#"{"role":"toolResult","toolCallId":"call_1","toolName":"ls","content":[{"type":"text","text":"src/"}],"#,
                r#""isError":false,"durationMs":2,"timestamp":3}"#
            )
        );
        assert_eq!(serde_json::to_string(&StopReason::ToolUse).unwrap(), r#""toolUse""#);
        let call = Content::ToolCall(ToolCall {
            id: "call_1".to_owned(),
            name: "ls".to_owned(),
            arguments: json!({"path": "."}),
            arguments_error: None,
        });
        assert_eq!(
            serde_json::to_string(&call).unwrap(),
            r#"{"type":"toolCall","id":"call_1","name":"ls","arguments":{"path":"."}}"#
        );
    }

    #[test]
    fn a_response_repeats_the_id_of_the_command() {
        let id = json!(7);
        let response = Response {
            id: Some(&id),
            r#type: "response",
            command: Some("get_state"),
            success: true,
            data: None,
            error: None,
        };
        assert_eq!(
            serde_json::to_string(&response).unwrap(),
            r#"{"id":7,"type":"response","command":"get_state","success":true}"#
        );
    }
}
