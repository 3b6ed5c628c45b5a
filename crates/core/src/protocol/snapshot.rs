//! The complete state of one session, as sent to a client that opens it.

use serde::{Deserialize, Serialize};

use super::event::{ContextUsage, ModelInfo};
use super::{Branches, is_false};
use crate::conversation::ask::Ask;
use crate::conversation::ask::auto_approve::AutoApprove;
use crate::conversation::controller::Fold;
use crate::conversation::plan::PlanStep;
use crate::conversation::queue::Queue;
use crate::conversation::ui_message::UiMessage;
use crate::json::FromJson;
use crate::session::machine::SessionState;

/// Everything about a session except its rows. Declared once: the view, the snapshot and the page share it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, FromJson)]
#[cfg_attr(feature = "store", derive(reactive_stores::Store, reactive_stores::Patch))]
pub struct SessionMeta {
    pub session_id: String,
    pub agent: String,
    pub cwd: String,
    pub title: String,
    #[cfg_attr(feature = "store", patch(|this, new| *this = new))]
    pub state: SessionState,
    /// The reason for the state, where there is one to show.
    #[serde(default)]
    pub reason: String,
    #[serde(default)]
    #[cfg_attr(feature = "store", patch(|this, new| *this = new))]
    pub queue: Queue,
    #[serde(default)]
    #[cfg_attr(feature = "store", patch(|this, new| *this = new))]
    pub asks: Vec<Ask>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "store", patch(|this, new| *this = new))]
    pub context_usage: Option<ContextUsage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "store", patch(|this, new| *this = new))]
    pub model: Option<ModelInfo>,
    #[serde(default)]
    pub thinking_level: String,
    /// The agent's current mode; empty where it has none.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[serde(default)]
    pub mode: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "store", patch(|this, new| *this = new))]
    pub retry: Option<RetryNote>,
    #[serde(default)]
    pub compacting: bool,
    #[serde(default)]
    #[cfg_attr(feature = "store", patch(|this, new| *this = new))]
    pub capabilities: Capabilities,
    /// Another program is working in this session, or has it open.
    #[serde(rename = "elsewhere", skip_serializing_if = "is_false")]
    #[serde(default)]
    pub external_writer: bool,
    /// That program.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "store", patch(|this, new| *this = new))]
    pub external_program: Option<ExternalProgram>,
    /// The composer's text from the device that edited it last. A client reads it when it opens the session.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[serde(default)]
    pub draft: String,
    /// Status lines of the agent's extensions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(default)]
    #[cfg_attr(feature = "store", patch(|this, new| *this = new))]
    pub statuses: Vec<ExtensionWidget>,
    /// Boxes that extensions show beside the composer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(default)]
    #[cfg_attr(feature = "store", patch(|this, new| *this = new))]
    pub widgets: Vec<ExtensionWidget>,
    /// A title for the window, from the agent.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[serde(default)]
    pub window_title: String,
    /// The agent's settings beyond model, thinking level and mode.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(default)]
    #[cfg_attr(feature = "store", patch(|this, new| *this = new))]
    pub options: Vec<AgentOption>,
    /// The agent's plan; empty where it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(default)]
    #[cfg_attr(feature = "store", patch(|this, new| *this = new))]
    pub plan: Vec<PlanStep>,
    /// The branches of the session's file besides the one that is shown.
    #[serde(skip_serializing_if = "Branches::is_empty")]
    #[serde(default)]
    #[cfg_attr(feature = "store", patch(|this, new| *this = new))]
    pub branches: Branches,
    /// The login that the agent needs before it can work.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "store", patch(|this, new| *this = new))]
    pub login: Option<Login>,
    /// Which approvals are answered automatically.
    #[serde(skip_serializing_if = "AutoApprove::is_off")]
    #[serde(default)]
    #[cfg_attr(feature = "store", patch(|this, new| *this = new))]
    pub auto_approve: AutoApprove,
    /// The same for new sessions in this folder.
    #[serde(skip_serializing_if = "AutoApprove::is_off")]
    #[serde(default)]
    #[cfg_attr(feature = "store", patch(|this, new| *this = new))]
    pub folder_auto_approve: AutoApprove,
}

/// A session's state and its newest rows.
#[derive(Clone, Debug, PartialEq, Serialize, FromJson)]
pub struct Snapshot {
    pub epoch: String,
    /// The last event that is part of this snapshot.
    pub seq: u64,
    /// The number of rows in the conversation; `messages` are the last of them, from index `first` on.
    pub total: usize,
    pub first: usize,
    pub messages: Vec<UiMessage>,
    /// The reducer's state, so that the client's reducer continues from it.
    pub streaming: Fold,
    #[serde(flatten)]
    pub meta: SessionMeta,
}

/// Another program that works in a session, or has it open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(default)]
pub struct ExternalProgram {
    /// Such as "pi in a terminal".
    pub program: String,
    /// Its process, if it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process_id: Option<u32>,
    /// What it does, such as "running bash: cargo test".
    pub activity: String,
    /// When it last wrote, in milliseconds since 1970; 0 if unknown.
    pub since: u64,
}

/// Lines that an extension of the agent shows under a key: a status, or a box beside the composer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct ExtensionWidget {
    pub key: String,
    pub lines: Vec<String>,
}

/// A failed request that is about to be repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct RetryNote {
    pub attempt: u32,
    pub max_attempts: u32,
    pub delay_ms: u64,
    pub error_message: String,
}

impl RetryNote {
    /// The text that the user sees.
    pub fn words(&self) -> String {
        format!("Retrying in {} s ({} of {})", self.delay_ms.div_ceil(1_000), self.attempt, self.max_attempts)
    }
}

/// A mode that an agent offers, such as asking before each edit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(default)]
pub struct AgentMode {
    pub id: String,
    pub name: String,
    pub description: String,
}

/// A setting that an agent offers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(default)]
pub struct AgentOption {
    pub id: String,
    pub name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The current value: that of a choice, or `true` or `false` for an option without choices.
    pub value: String,
    /// Empty for an option that is switched on and off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<OptionChoice>,
}

/// A value of an [`AgentOption`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(default)]
pub struct OptionChoice {
    pub value: String,
    pub name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// A login that an agent needs, and the ways to do it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(default)]
pub struct Login {
    /// The agent's own words.
    pub message: String,
    pub methods: Vec<LoginMethod>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(default)]
pub struct LoginMethod {
    pub id: String,
    pub name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    pub kind: LoginKind,
    /// The environment variables to set, for [`LoginKind::Environment`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<String>,
    /// The command to run in a terminal, for [`LoginKind::Terminal`]; empty if it is not known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// A page with instructions, or on which a key is created.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub link: String,
}

/// How a login is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(rename_all = "snake_case")]
pub enum LoginKind {
    /// The server has to be started with environment variables.
    Environment,
    /// The user runs a command in a terminal.
    Terminal,
    /// The agent does it when it is asked to, for example by opening a browser.
    #[default]
    #[serde(other)]
    Agent,
}

/// The abilities of the session's agent. The page hides everything else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(default)]
pub struct Capabilities {
    pub images: bool,
    pub bash: bool,
    pub steering: bool,
    pub models: bool,
    pub thinking_levels: Vec<String>,
    pub modes: Vec<AgentMode>,
    /// Scheduled messages can be edited and removed.
    pub edit_queue: bool,
    pub compact: bool,
    pub fork: bool,
    pub rename: bool,
    /// The agent has commands, skills or templates.
    pub commands: bool,
    /// The agent accepts messages while it works and holds them in a queue of its own. The server holds the queue of
    /// other agents and sends its messages one by one.
    #[serde(skip_serializing_if = "is_false")]
    pub agent_queue: bool,
    /// The agent accepts a message in the middle of its turn, although it has no queue.
    #[serde(skip_serializing_if = "is_false")]
    pub mid_turn: bool,
    /// The agent continues a session after its process has ended.
    #[serde(skip_serializing_if = "is_false")]
    pub resume: bool,
    /// The agent lists the sessions that it knows.
    #[serde(skip_serializing_if = "is_false")]
    pub list_sessions: bool,
}
