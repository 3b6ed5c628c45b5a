//! Frames from the server, and the descriptions of agents and sessions in them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::ErrorCode;
use super::is_false;
use super::snapshot::Snapshot;
use crate::conversation::ask::Ask;
use crate::conversation::ask::auto_approve::AutoApprove;
use crate::json::FromJson;
use crate::protocol::event::Event;
use crate::session::machine::SessionState;

/// A frame from the server.
#[derive(Clone, Debug, PartialEq, Serialize, FromJson)]
#[serde(tag = "type", rename_all = "snake_case")]
#[json(lenient)]
pub enum ServerFrame {
    Welcome(Welcome),
    Response {
        id: String,
        command: String,
        success: bool,
        #[serde(skip_serializing_if = "Value::is_null")]
        data: Value,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// The kind of failure.
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<ErrorCode>,
    },
    /// `seq` counts without gaps per session.
    Event {
        session_id: String,
        seq: u64,
        #[json(required)]
        event: Event,
    },
    /// Replaces everything that the client holds of the session.
    Snapshot(Box<Snapshot>),
    AgentsChanged {
        #[json(required)]
        agents: Vec<AgentInfo>,
        available: Vec<AvailableAgent>,
    },
    /// Writing to disk fails, for this reason, or works again; or a notice was dismissed.
    StorageChanged {
        #[serde(skip_serializing_if = "Option::is_none")]
        problem: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        notice: Option<String>,
    },
    /// Which browsers have access changed.
    DevicesChanged {},
    /// These sessions of the list changed or were removed.
    SessionsChanged {
        #[json(required)]
        changed: Vec<SessionSummary>,
        removed: Vec<String>,
    },
}

impl ServerFrame {
    /// Parses a frame as the server writes it. None for a frame that this version does not know.
    pub fn parse(text: &str) -> Option<Self> {
        Self::from_json(serde_json::from_str(text).ok()?)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromJson)]
pub struct Welcome {
    pub version: u32,
    pub server_version: String,
    pub agents: Vec<AgentInfo>,
    /// Known agents that are not on this machine.
    #[serde(default)]
    pub available: Vec<AvailableAgent>,
    /// The folder of a new session unless the user picks another one.
    pub default_cwd: String,
    pub sessions: Vec<SessionSummary>,
    /// Why writing to disk fails, while it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_problem: Option<String>,
    /// The notice about the repair of the store, with what was kept and lost, until a client dismisses it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_notice: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct AgentInfo {
    pub name: String,
    pub dialect: String,
    /// The version that the agent reports, once it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The built-in guide, which has no model.
    #[serde(default)]
    pub demo: bool,
    /// Why it cannot be used now, for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The name to show; empty if it is the agent's name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The agent lists the sessions that it knows.
    #[serde(default, skip_serializing_if = "is_false")]
    pub lists_sessions: bool,
    /// The user added the agent in the page and can remove it there.
    #[serde(default, skip_serializing_if = "is_false")]
    pub custom: bool,
}

/// An agent that Pilothouse knows and that is not on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(default)]
pub struct AvailableAgent {
    pub name: String,
    pub title: String,
    /// The command that installs it.
    pub install: String,
    /// Requirements beside the installation, such as an account.
    pub needs: String,
    /// Its home page.
    pub link: String,
}

/// One row of the sidebar.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, FromJson)]
pub struct SessionSummary {
    pub id: String,
    pub agent: String,
    pub cwd: String,
    pub title: String,
    pub state: SessionState,
    /// The reason for the state, where there is one to show.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Milliseconds since 1970.
    pub modified: u64,
    #[serde(default, skip_serializing_if = "is_false")]
    pub pinned: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub archived: bool,
    /// A run has ended since the user last viewed the session.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unread: bool,
    /// Another program is writing the session.
    #[serde(default, skip_serializing_if = "is_false")]
    #[serde(rename = "elsewhere")]
    pub external_writer: bool,
    /// The open questions and approval requests, which the user can answer in the tray.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<Ask>,
    /// Which approvals are answered automatically.
    #[serde(default, skip_serializing_if = "AutoApprove::is_off")]
    pub auto_approve: AutoApprove,
}

/// Patched as a whole: a row of the sidebar shows most of it.
#[cfg(feature = "store")]
impl reactive_stores::PatchField for SessionSummary {
    fn patch_field(
        &mut self,
        new: Self,
        path: &reactive_stores::StorePath,
        notify: &mut dyn FnMut(&reactive_stores::StorePath),
        _keys: Option<&reactive_stores::KeyMap>,
    ) {
        if *self != new {
            *self = new;
            notify(path);
        }
    }
}
