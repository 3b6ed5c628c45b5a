//! The one vocabulary of what happens in a session. Codecs translate each agent's dialect into it; the server adds
//! its own events; the reducer folds it. Names follow pi's. `read` is how it is read from JSON, `output` what tools
//! give back.

mod output;
mod read;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::conversation::ask::{Ask, ClosedBy};
use crate::conversation::message::{Message, ToolCall};
use crate::conversation::queue::Scheduled;
use crate::conversation::ui_message::BashResult;
use crate::json::{readable, readable_names};
use crate::protocol::Capabilities;
use crate::session::machine::SessionState;

pub use output::ToolOutput;

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
    ModeChanged {
        mode: String,
    },
    TitleChanged {
        title: String,
    },
    /// Something the agent wants the person to know, or that went wrong beside the conversation.
    Notice {
        level: NoticeLevel,
        text: String,
    },

    /// A line of state that an extension of the agent's keeps under this key; none takes it away.
    StatusChanged {
        key: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// Lines that an extension shows beside the composer under this key; no lines take it away.
    WidgetChanged {
        key: String,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        lines: Vec<String>,
    },
    /// A text that the agent puts into the composer.
    EditorText {
        text: String,
    },
    /// What the agent would write into the title of its window.
    WindowTitle {
        title: String,
    },
    /// Something of the agent's that this version has no name for, as it came. Folding it changes nothing.
    Raw {
        name: String,
        data: Value,
    },

    // What the server adds.
    /// Another program is writing this session, or has stopped doing so.
    Elsewhere {
        active: bool,
    },
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
pub const LAST_BLOCK: usize = u32::MAX as usize;

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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeLevel {
    #[default]
    Info,
    Warning,
    Error,
}

readable_names!(NoticeLevel { "info" Info, "warning" Warning, "error" Error });

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

readable!(ModelInfo { provider "provider", id "id"; name "name", reasoning "reasoning" });

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

readable!(ContextUsage {
    ; tokens "tokens", context_window "contextWindow", percent "percent", cost "cost",
});

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
