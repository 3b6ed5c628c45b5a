//! The one vocabulary of what happens in a session. Codecs translate each agent's dialect into it; the server adds
//! its own events; the reducer folds it. Names follow pi's.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ask::{Ask, ClosedBy};
use crate::machine::SessionState;
use crate::message::{Content, Message, ToolCall};
use crate::queue::Scheduled;
use crate::ui_message::{BashResult, Image};
use crate::wire::Capabilities;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Event {
    // What the agent does.
    AgentStart,
    /// The agent's loop ended; with `will_retry` the run goes on.
    AgentEnd {
        #[serde(default)]
        will_retry: bool,
    },
    /// The end of all work of a run.
    AgentSettled {
        #[serde(default)]
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
        #[serde(default)]
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
        #[serde(default)]
        is_error: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        duration_ms: Option<u64>,
    },
    CompactionStart {
        #[serde(default)]
        reason: String,
    },
    CompactionEnd {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
        #[serde(default)]
        aborted: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    AutoRetryStart {
        attempt: u32,
        max_attempts: u32,
        delay_ms: u64,
        #[serde(default)]
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
        #[serde(default)]
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
        #[serde(default, skip_serializing_if = "String::is_empty")]
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
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<i32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signal: Option<i32>,
        /// Asked for by us: not a failure.
        #[serde(default)]
        expected: bool,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        stderr: Vec<String>,
    },
    ContextUsage {
        usage: ContextUsage,
    },
    CapabilitiesChanged {
        capabilities: Capabilities,
    },

    /// A type this version does not know. Folding it changes nothing.
    #[serde(other)]
    Unknown,
}

impl Event {
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

/// One step of an assistant message under way. Blocks are told apart by their index in the message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Update {
    TextDelta {
        content_index: usize,
        delta: String,
    },
    /// The whole text of the block; wins over the sum of its deltas.
    TextEnd {
        content_index: usize,
        content: String,
    },
    ThinkingDelta {
        content_index: usize,
        delta: String,
    },
    ThinkingEnd {
        content_index: usize,
        content: String,
    },
    ToolcallStart {
        content_index: usize,
        #[serde(default)]
        id: String,
        #[serde(default)]
        tool_name: String,
    },
    ToolcallEnd {
        content_index: usize,
        tool_call: ToolCall,
    },
    #[serde(other)]
    Unknown,
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
