//! The one vocabulary of what happens in a session. Codecs translate each agent's dialect into it; the server adds
//! its own events; the reducer folds it. Names follow pi's.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ask::{Ask, ClosedBy};
use crate::fields::Fields;
use crate::machine::SessionState;
use crate::message::{Content, Message, ToolCall};
use crate::queue::Scheduled;
use crate::ui_message::{BashResult, Image};
use crate::wire::Capabilities;

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Event {
    // What the agent does.
    AgentStart,
    /// The agent's loop ended; with `will_retry` the run goes on.
    AgentEnd {
        will_retry: bool,
    },
    /// The end of all work of a run.
    AgentSettled {
        aborted: bool,
    },
    TurnStart,
    TurnEnd,
    MessageStart {
        message: Message,
    },
    MessageUpdate {
        update: Update,
    },
    MessageEnd {
        message: Message,
    },
    ToolExecutionStart {
        tool_call_id: String,
        tool_name: String,
        args: Value,
    },
    /// `partial_result` is all output so far, not what was added.
    ToolExecutionUpdate {
        tool_call_id: String,
        tool_name: String,
        partial_result: ToolOutput,
    },
    ToolExecutionEnd {
        tool_call_id: String,
        tool_name: String,
        result: ToolOutput,
        is_error: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        duration_ms: Option<u64>,
    },
    CompactionStart {
        reason: String,
    },
    CompactionEnd {
        #[serde(skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
        aborted: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    AutoRetryStart {
        attempt: u32,
        max_attempts: u32,
        delay_ms: u64,
        error_message: String,
    },
    AutoRetryEnd {
        success: bool,
    },
    ModelChanged {
        model: Option<ModelInfo>,
    },
    ThinkingLevelChanged {
        level: String,
    },
    TitleChanged {
        title: String,
    },
    /// Something the agent wants the person to know, or that went wrong beside the conversation.
    Notice {
        level: NoticeLevel,
        text: String,
    },

    // What the server adds.
    /// The complete queue, as the server holds it.
    QueueUpdate {
        items: Vec<Scheduled>,
    },
    BashStart {
        id: String,
        command: String,
        exclude_from_context: bool,
    },
    BashExecutionUpdate {
        id: String,
        delta: String,
    },
    BashEnd {
        id: String,
        result: BashResult,
    },
    SessionState {
        state: SessionState,
        #[serde(skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    AskOpened {
        ask: Ask,
    },
    AskClosed {
        ask_id: String,
        by: ClosedBy,
    },
    ProcessExit {
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<i32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        signal: Option<i32>,
        /// Asked for by us: not a failure.
        expected: bool,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        stderr: Vec<String>,
    },
    ContextUsage {
        usage: ContextUsage,
    },
    CapabilitiesChanged {
        capabilities: Capabilities,
    },

    /// A type this version does not know. Folding it changes nothing.
    Unknown,
}

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
                partial_result: fields.part("partialResult")?,
            },
            "tool_execution_end" => Self::ToolExecutionEnd {
                tool_call_id: fields.text("toolCallId"),
                tool_name: fields.text("toolName"),
                result: fields.part("result")?,
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
            "model_changed" => Self::ModelChanged { model: fields.part("model") },
            "thinking_level_changed" => Self::ThinkingLevelChanged { level: fields.text("level") },
            "title_changed" => Self::TitleChanged { title: fields.text("title") },
            "notice" => Self::Notice { level: fields.part("level")?, text: fields.text("text") },
            "queue_update" => Self::QueueUpdate { items: fields.part("items")? },
            "bash_start" => Self::BashStart {
                id: fields.text("id"),
                command: fields.text("command"),
                exclude_from_context: fields.flag("excludeFromContext"),
            },
            "bash_execution_update" => {
                Self::BashExecutionUpdate { id: fields.text("id"), delta: fields.text("delta") }
            }
            "bash_end" => Self::BashEnd { id: fields.text("id"), result: fields.part("result")? },
            "session_state" => {
                Self::SessionState { state: fields.part("state")?, reason: fields.text("reason") }
            }
            "ask_opened" => Self::AskOpened { ask: fields.part("ask")? },
            "ask_closed" => Self::AskClosed { ask_id: fields.text("askId"), by: fields.part("by")? },
            "process_exit" => Self::ProcessExit {
                code: fields.optional_code("code"),
                signal: fields.optional_code("signal"),
                expected: fields.flag("expected"),
                stderr: fields.texts("stderr"),
            },
            "context_usage" => Self::ContextUsage { usage: fields.part("usage")? },
            "capabilities_changed" => {
                Self::CapabilitiesChanged { capabilities: fields.part("capabilities")? }
            }
            _ => return None,
        })
    }

    /// Folding it changes nothing, whatever stands there already: it need not travel.
    pub const fn is_void(&self) -> bool {
        match self {
            Self::Unknown | Self::MessageUpdate { update: Update::Unknown } => true,
            // What is complete only in its end.
            Self::MessageStart { message } => {
                !matches!(message, Message::User { .. } | Message::Assistant { .. })
            }
            Self::MessageEnd { message } => {
                matches!(message, Message::Hidden | Message::Custom { display: false, .. })
            }
            _ => false,
        }
    }

    /// Takes the next event into this one if both are pieces of the same text; tells whether it did.
    pub fn join(&mut self, next: &Self) -> bool {
        use Update::{TextDelta, ThinkingDelta};
        let (Self::MessageUpdate { update }, Self::MessageUpdate { update: next }) = (self, next) else {
            return false;
        };
        match (update, next) {
            (TextDelta { content_index, delta }, TextDelta { content_index: index, delta: next })
            | (ThinkingDelta { content_index, delta }, ThinkingDelta { content_index: index, delta: next })
                if content_index == index =>
            {
                delta.push_str(next);
                true
            }
            _ => false,
        }
    }
}

/// The index of a block for agents that do not number theirs: wherever the message is at the moment.
pub const LAST_BLOCK: usize = usize::MAX;

fn is_last_block(index: &usize) -> bool {
    *index == LAST_BLOCK
}

/// One step of an assistant message under way. Blocks are told apart by their index in the message.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Update {
    TextDelta {
        #[serde(skip_serializing_if = "is_last_block")]
        content_index: usize,
        delta: String,
    },
    /// All text of the block; where it is longer than the sum of its deltas, it wins.
    TextEnd {
        #[serde(skip_serializing_if = "is_last_block")]
        content_index: usize,
        content: String,
    },
    ThinkingDelta {
        #[serde(skip_serializing_if = "is_last_block")]
        content_index: usize,
        delta: String,
    },
    ThinkingEnd {
        #[serde(skip_serializing_if = "is_last_block")]
        content_index: usize,
        content: String,
    },
    ToolcallStart {
        #[serde(skip_serializing_if = "is_last_block")]
        content_index: usize,
        id: String,
        tool_name: String,
    },
    ToolcallEnd {
        #[serde(skip_serializing_if = "is_last_block")]
        content_index: usize,
        tool_call: ToolCall,
    },
    Unknown,
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
            "toolcall_end" => match fields.part("toolCall") {
                Some(tool_call) => Self::ToolcallEnd { content_index, tool_call },
                None => Self::Unknown,
            },
            _ => Self::Unknown,
        }
    }
}

/// What a tool gave back, whatever shape the agent gave it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolOutput {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

impl ToolOutput {
    /// A string is its text, parts are joined, `{content, details}` is unpacked, anything else is shown as JSON.
    pub fn from_value(value: Value) -> Self {
        match value {
            Value::Null => Self::default(),
            Value::String(text) => Self { text, ..Self::default() },
            Value::Array(_) => Self::from_content(&Content::from_value(value), None),
            Value::Object(mut object) if object.contains_key("content") => {
                let details = object.remove("details").filter(|details| !is_blank(details));
                let content = Content::from_value(object.remove("content").unwrap_or_default());
                Self::from_content(&content, details)
            }
            other => Self { text: other.to_string(), ..Self::default() },
        }
    }

    pub fn from_content(content: &Content, details: Option<Value>) -> Self {
        Self {
            text: content.text(),
            images: content.images(),
            details: details.filter(|details| !is_blank(details)),
        }
    }
}

fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeLevel {
    #[default]
    Info,
    Warning,
    Error,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelInfo {
    pub provider: String,
    pub id: String,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub reasoning: bool,
}

/// How full the model's context is. `tokens` is unknown right after a compaction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextUsage {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    #[serde(default)]
    pub context_window: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
