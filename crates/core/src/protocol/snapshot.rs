//! All that a page has to know of one session.

use serde::{Deserialize, Serialize};

use super::is_false;
use crate::conversation::ask::Ask;
use crate::conversation::controller::Fold;
use crate::conversation::queue::Queue;
use crate::conversation::ui_message::UiMessage;
use crate::json::readable;
use crate::protocol::event::{ContextUsage, ModelInfo};
use crate::session::machine::SessionState;

/// A line that an extension keeps, under its key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beside {
    pub key: String,
    pub lines: Vec<String>,
}

readable!(Beside { key "key", lines "lines"; });

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    pub session_id: String,
    pub epoch: String,
    pub seq: u64,
    pub agent: String,
    pub cwd: String,
    pub title: String,
    /// How many rows there are; `messages` are the last of them, from index `first` on.
    pub total: usize,
    pub first: usize,
    pub messages: Vec<UiMessage>,
    /// Where the reducer stands, so that the page's goes on from there.
    pub streaming: Fold,
    pub state: SessionState,
    #[serde(default)]
    pub reason: String,
    #[serde(default)]
    pub queue: Queue,
    #[serde(default)]
    pub asks: Vec<Ask>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_usage: Option<ContextUsage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelInfo>,
    #[serde(default)]
    pub thinking_level: String,
    /// Which of the agent's modes holds; empty where it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub mode: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryNote>,
    #[serde(default)]
    pub compacting: bool,
    #[serde(default)]
    pub capabilities: Capabilities,
    /// Another program is writing this session.
    #[serde(default, skip_serializing_if = "is_false")]
    pub elsewhere: bool,
    /// What stood in the composer of the device that wrote there last.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub draft: String,
    /// What extensions show: lines of state, and boxes beside the composer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statuses: Vec<Beside>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub widgets: Vec<Beside>,
    /// What the agent adds to the window's title.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub window_title: String,
}

readable!(Snapshot {
    session_id "session_id", epoch "epoch", seq "seq", agent "agent", cwd "cwd", title "title", total "total",
    first "first", messages "messages", streaming "streaming", state "state";
    reason "reason", queue "queue", asks "asks", context_usage "context_usage", model "model",
    thinking_level "thinking_level", mode "mode", retry "retry", compacting "compacting",
    capabilities "capabilities", elsewhere "elsewhere", draft "draft", statuses "statuses", widgets "widgets",
    window_title "window_title",
});

/// A failed request is being repeated.
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
    pub fn words(&self) -> String {
        format!("Retry {}/{} in {} s", self.attempt, self.max_attempts, self.delay_ms.div_ceil(1_000))
    }
}

/// A way of working that an agent offers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentMode {
    pub id: String,
    pub name: String,
    pub description: String,
}

readable!(AgentMode { ; id "id", name "name", description "description" });

/// What the agent behind a session can do; the page offers nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Capabilities {
    pub images: bool,
    pub bash: bool,
    pub steering: bool,
    pub models: bool,
    pub thinking_levels: Vec<String>,
    /// Ways of working to choose from, such as asking first.
    pub modes: Vec<AgentMode>,
    /// Scheduled messages can be changed and taken away.
    pub edit_queue: bool,
    pub compact: bool,
    pub fork: bool,
    pub rename: bool,
    /// It has commands, skills or templates of its own.
    pub commands: bool,
}

readable!(Capabilities {
    ; images "images", bash "bash", steering "steering", models "models", thinking_levels "thinking_levels",
    modes "modes", edit_queue "edit_queue", compact "compact", fork "fork", rename "rename", commands "commands",
});
