//! The events of a session: one vocabulary for all agents. Each agent's protocol is translated into it, the server adds
//! its own events, and the reducer folds them. Names follow pi's.

mod cut;
mod output;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::conversation::ask::auto_approve::AutoApprove;
use crate::conversation::ask::{Ask, ClosedBy};
use crate::conversation::message::{Message, ToolCall};
use crate::conversation::plan::PlanStep;
use crate::conversation::queue::Scheduled;
use crate::conversation::ui_message::{BashResult, Image};
use crate::json::FromJson;
use crate::protocol::{AgentOption, Branches, Capabilities, ExternalProgram, Login, is_false};
use crate::session::machine::SessionState;

pub use cut::{cut_commands, cut_login, cut_models};
pub use output::ToolOutput;

/// Something that happened in a session.
#[derive(Clone, Debug, PartialEq, Serialize, FromJson)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[json(lenient)]
pub enum Event {
    // Events of the agent.
    AgentStart,
    /// The agent's loop ended; with `will_retry` the run continues.
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
        #[json(with = "Message::from_value")]
        message: Message,
    },
    MessageUpdate {
        #[json(required)]
        update: Update,
    },
    MessageEnd {
        #[json(with = "Message::from_value")]
        message: Message,
    },
    ToolExecutionStart {
        tool_call_id: String,
        tool_name: String,
        args: Value,
    },
    /// `partial_result` is the complete output so far.
    ToolExecutionUpdate {
        tool_call_id: String,
        tool_name: String,
        #[json(required)]
        partial_result: ToolOutput,
    },
    /// Text that follows the output so far.
    ToolExecutionDelta {
        tool_call_id: String,
        delta: String,
    },
    ToolExecutionEnd {
        tool_call_id: String,
        tool_name: String,
        #[json(required)]
        result: ToolOutput,
        is_error: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        duration_ms: Option<u64>,
    },
    /// A call whose tool, arguments or description changed after it was first reported.
    ToolCallChanged {
        #[json(required)]
        tool_call: ToolCall,
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
    /// The agent's settings beyond model, thinking level and mode. The complete list.
    OptionsChanged {
        options: Vec<AgentOption>,
    },
    /// The agent's plan. The complete list; no steps remove it.
    PlanChanged {
        steps: Vec<PlanStep>,
    },
    TitleChanged {
        title: String,
    },
    /// A message for the user that is not part of the conversation.
    Notice {
        #[json(required)]
        level: NoticeLevel,
        text: String,
    },

    /// A status line of an extension, under this key. None removes it.
    StatusChanged {
        key: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// Lines that an extension shows beside the composer, under this key. No lines remove them.
    WidgetChanged {
        key: String,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        lines: Vec<String>,
    },
    /// A text that the agent puts into the composer.
    EditorText {
        text: String,
    },
    /// A title for the window.
    WindowTitle {
        title: String,
    },
    /// An event of the agent with an unknown type, unchanged. Folding it changes nothing.
    Raw {
        name: String,
        data: Value,
    },

    // Events of the server.
    /// Another program is working in this session, or has it open; or no longer.
    Elsewhere {
        active: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        program: Option<ExternalProgram>,
    },
    /// The branches of the session's file besides the one that is shown. The complete list.
    BranchesChanged {
        #[json(required)]
        branches: Branches,
    },
    /// The session continues on another branch than before: what was shown is on the branch that ends with this entry.
    BranchLeft {
        leaf: String,
    },
    /// The complete queue, as the server holds it.
    QueueUpdate {
        #[json(required)]
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
        #[json(required)]
        result: BashResult,
    },
    SessionState {
        #[json(required)]
        state: SessionState,
        #[serde(skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    AskOpened {
        #[json(required)]
        ask: Box<Ask>,
    },
    AskClosed {
        ask_id: String,
        #[json(required)]
        by: ClosedBy,
    },
    ProcessExit {
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<i32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        signal: Option<i32>,
        /// The server ended the process: not a failure.
        expected: bool,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        stderr: Vec<String>,
        /// The user's shell commands go on, because the server runs them.
        #[serde(skip_serializing_if = "is_false")]
        shell_lives: bool,
    },
    ContextUsage {
        #[json(required)]
        usage: ContextUsage,
    },
    /// The agent needs a login before it can work, or does not any more.
    LoginChanged {
        #[serde(skip_serializing_if = "Option::is_none")]
        login: Option<Login>,
    },
    AutoApproveChanged {
        level: AutoApprove,
        /// The level of new sessions in the session's folder.
        #[serde(skip_serializing_if = "AutoApprove::is_off")]
        folder: AutoApprove,
    },
    CapabilitiesChanged {
        #[json(required)]
        capabilities: Capabilities,
    },

    /// An event that this version does not know. Folding it changes nothing.
    #[json(other)]
    Unknown,
}

impl Event {
    /// Whether folding the event never changes anything, so that it need not be sent.
    pub const fn is_void(&self) -> bool {
        match self {
            Self::Unknown | Self::MessageUpdate { update: Update::Unknown } => true,
            // Messages of other roles are folded at their end.
            Self::MessageStart { message } => {
                !matches!(message, Message::User { .. } | Message::Assistant { .. })
            }
            Self::MessageEnd { message } => {
                matches!(message, Message::Hidden | Message::Custom { display: false, .. })
            }
            _ => false,
        }
    }

    /// Appends the next event to this one if both are deltas of the same text. Returns whether it did.
    pub fn join(&mut self, next: &Self) -> bool {
        use Update::{LeftOut, TextDelta, ThinkingDelta};
        if let (
            Self::ToolExecutionDelta { tool_call_id, delta },
            Self::ToolExecutionDelta { tool_call_id: id, delta: next },
        ) = (&mut *self, next)
            && tool_call_id == id
        {
            delta.push_str(next);
            return true;
        }
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
            (LeftOut { content_index, bytes }, LeftOut { content_index: index, bytes: next })
                if content_index == index =>
            {
                *bytes = bytes.saturating_add(*next);
                true
            }
            _ => false,
        }
    }
}

/// The index of a block for agents that do not number theirs: the current block.
pub const LAST_BLOCK: usize = u32::MAX as usize;

fn is_last_block(index: &usize) -> bool {
    *index == LAST_BLOCK
}

/// Reads a block index. It has 32 bits, so that it is the same in the page, where `usize` has 32 bits.
fn block_index(value: Value) -> usize {
    let index = value.as_u64().and_then(|index| u32::try_from(index).ok());
    index.and_then(|index| usize::try_from(index).ok()).unwrap_or(LAST_BLOCK)
}

/// One step of an assistant message in progress. Blocks are identified by their index in the message.
#[derive(Clone, Debug, PartialEq, Serialize, FromJson)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[json(lenient)]
pub enum Update {
    TextDelta {
        #[serde(skip_serializing_if = "is_last_block")]
        #[json(with = "block_index")]
        content_index: usize,
        delta: String,
    },
    /// The complete text of the block. It replaces the deltas if it is longer.
    TextEnd {
        #[serde(skip_serializing_if = "is_last_block")]
        #[json(with = "block_index")]
        content_index: usize,
        content: String,
    },
    ThinkingDelta {
        #[serde(skip_serializing_if = "is_last_block")]
        #[json(with = "block_index")]
        content_index: usize,
        delta: String,
    },
    ThinkingEnd {
        #[serde(skip_serializing_if = "is_last_block")]
        #[json(with = "block_index")]
        content_index: usize,
        content: String,
    },
    ToolcallStart {
        #[serde(skip_serializing_if = "is_last_block")]
        #[json(with = "block_index")]
        content_index: usize,
        id: String,
        tool_name: String,
    },
    ToolcallEnd {
        #[serde(skip_serializing_if = "is_last_block")]
        #[json(with = "block_index")]
        content_index: usize,
        #[json(required)]
        tool_call: ToolCall,
    },
    /// More bytes of a text or thinking block, which are not shown because it is too long.
    LeftOut {
        #[serde(skip_serializing_if = "is_last_block")]
        #[json(with = "block_index")]
        content_index: usize,
        bytes: u64,
    },
    /// An image, which is complete.
    Image {
        #[serde(skip_serializing_if = "is_last_block")]
        #[json(with = "block_index")]
        content_index: usize,
        #[json(required)]
        image: Image,
    },
    #[json(other)]
    Unknown,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(rename_all = "snake_case")]
pub enum NoticeLevel {
    #[default]
    Info,
    Warning,
    Error,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(rename_all = "camelCase")]
pub struct ModelInfo {
    pub provider: String,
    pub id: String,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub reasoning: bool,
}

/// The usage of the model's context window. `tokens` is unknown right after a compaction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, FromJson)]
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
    /// The unit of the cost, such as `EUR`; empty for US dollars.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub currency: String,
}

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
