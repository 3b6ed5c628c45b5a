//! Frames from the server, and the descriptions of agents and sessions in them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::ErrorCode;
use super::is_false;
use super::snapshot::Snapshot;
use crate::conversation::ask::Ask;
use crate::json::Fields;
use crate::json::readable;
use crate::protocol::event::Event;
use crate::session::machine::SessionState;

/// A frame from the server.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
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
        event: Event,
    },
    /// Replaces everything the client has of that session.
    Snapshot(Box<Snapshot>),
    AgentsChanged {
        agents: Vec<AgentInfo>,
    },
    /// Writing to disk fails, for this reason, or works again.
    StorageChanged {
        #[serde(skip_serializing_if = "Option::is_none")]
        problem: Option<String>,
    },
    /// These sessions of the list changed or were removed.
    SessionsChanged {
        changed: Vec<SessionSummary>,
        removed: Vec<String>,
    },
}

impl ServerFrame {
    /// Parses a frame as the server writes it. None for a frame that this version does not know.
    pub fn parse(text: &str) -> Option<Self> {
        let mut fields = Fields::of(serde_json::from_str(text).ok()?)?;
        Some(match fields.text("type").as_str() {
            "welcome" => Self::Welcome(fields.rest()?),
            "response" => Self::Response {
                id: fields.text("id"),
                command: fields.text("command"),
                success: fields.flag("success"),
                data: fields.value("data"),
                error: fields.optional_text("error"),
                code: fields.read("code"),
            },
            "event" => Self::Event {
                session_id: fields.text("session_id"),
                seq: fields.number("seq"),
                event: Event::from_fields(fields.object("event")),
            },
            "snapshot" => Self::Snapshot(fields.rest()?),
            "agents_changed" => Self::AgentsChanged { agents: fields.required("agents")? },
            "storage_changed" => Self::StorageChanged { problem: fields.optional_text("problem") },
            "sessions_changed" => Self::SessionsChanged {
                changed: fields.required("changed")?,
                removed: fields.texts("removed"),
            },
            _ => return None,
        })
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Welcome {
    pub version: u32,
    pub server_version: String,
    pub agents: Vec<AgentInfo>,
    /// The folder of a new session unless the user picks another one.
    pub default_cwd: String,
    pub sessions: Vec<SessionSummary>,
    /// Why writing to disk fails, while it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_problem: Option<String>,
}

readable!(Welcome {
    version "version", server_version "server_version", agents "agents", default_cwd "default_cwd",
    sessions "sessions"; storage_problem "storage_problem",
});

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
}

readable!(AgentInfo { name "name", dialect "dialect"; version "version", demo "demo", problem "problem" });

/// One row of the sidebar.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// The open questions, which the tray answers in place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<Ask>,
}

readable!(SessionSummary {
    id "id", agent "agent", cwd "cwd", title "title", state "state", modified "modified";
    reason "reason", pinned "pinned", archived "archived", unread "unread", external_writer "elsewhere", asks "asks",
});
