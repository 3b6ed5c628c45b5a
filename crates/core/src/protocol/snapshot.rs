//! The complete state of one session, as sent to a client that opens it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event::{ContextUsage, ModelInfo};
use super::is_false;
use crate::conversation::ask::Ask;
use crate::conversation::controller::Fold;
use crate::conversation::queue::Queue;
use crate::conversation::ui_message::UiMessage;
use crate::json::{Fields, Readable, readable};
use crate::session::machine::SessionState;

/// Everything about a session except its rows. Declared once: the view, the snapshot and the page share it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SessionMeta {
    pub session_id: String,
    pub agent: String,
    pub cwd: String,
    pub title: String,
    pub state: SessionState,
    /// The reason for the state, where there is one to show.
    pub reason: String,
    pub queue: Queue,
    pub asks: Vec<Ask>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_usage: Option<ContextUsage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelInfo>,
    pub thinking_level: String,
    /// The agent's current mode; empty where it has none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub mode: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryNote>,
    pub compacting: bool,
    pub capabilities: Capabilities,
    /// Another program is writing this session.
    #[serde(rename = "elsewhere", skip_serializing_if = "is_false")]
    pub external_writer: bool,
    /// The composer's text on the device that wrote there last. A client reads it when it opens the session.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub draft: String,
    /// Status lines of the agent's extensions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub statuses: Vec<ExtensionWidget>,
    /// Boxes that extensions show beside the composer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub widgets: Vec<ExtensionWidget>,
    /// What the agent adds to the window's title.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub window_title: String,
}

readable!(SessionMeta {
    session_id "session_id", agent "agent", cwd "cwd", title "title", state "state";
    reason "reason", queue "queue", asks "asks", context_usage "context_usage", model "model",
    thinking_level "thinking_level", mode "mode", retry "retry", compacting "compacting",
    capabilities "capabilities", external_writer "elsewhere", draft "draft", statuses "statuses",
    widgets "widgets", window_title "window_title",
});

/// A session's state and its newest rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
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

impl Readable for Snapshot {
    fn read(value: Value) -> Option<Self> {
        let mut fields = Fields::of(value)?;
        Some(Self {
            epoch: fields.required("epoch")?,
            seq: fields.required("seq")?,
            total: fields.required("total")?,
            first: fields.required("first")?,
            messages: fields.required("messages")?,
            streaming: fields.required("streaming")?,
            meta: fields.rest()?,
        })
    }
}

/// Lines that an extension of the agent shows under a key: a status, or a box beside the composer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtensionWidget {
    pub key: String,
    pub lines: Vec<String>,
}

readable!(ExtensionWidget { key "key", lines "lines"; });

/// A failed request that is about to be repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetryNote {
    pub attempt: u32,
    pub max_attempts: u32,
    pub delay_ms: u64,
    pub error_message: String,
}

readable!(RetryNote {
    attempt "attempt", max_attempts "max_attempts", delay_ms "delay_ms", error_message "error_message";
});

impl RetryNote {
    /// The text that the user sees.
    pub fn words(&self) -> String {
        format!("Retry {}/{} in {} s", self.attempt, self.max_attempts, self.delay_ms.div_ceil(1_000))
    }
}

/// A mode that an agent offers, such as asking before each edit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentMode {
    pub id: String,
    pub name: String,
    pub description: String,
}

readable!(AgentMode { ; id "id", name "name", description "description" });

/// What the session's agent can do. The page hides everything else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
}

readable!(Capabilities {
    ; images "images", bash "bash", steering "steering", models "models", thinking_levels "thinking_levels",
    modes "modes", edit_queue "edit_queue", compact "compact", fork "fork", rename "rename", commands "commands",
});
