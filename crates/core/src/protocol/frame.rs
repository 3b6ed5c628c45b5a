//! What the server sends, and what it tells of agents and sessions as a whole.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::is_false;
use super::snapshot::Snapshot;
use crate::conversation::ask::Ask;
use crate::json::Fields;
use crate::json::readable;
use crate::protocol::event::Event;
use crate::session::machine::SessionState;

/// What the server sends.
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
    },
    /// `seq` counts without gaps per session.
    Event {
        session_id: String,
        seq: u64,
        event: Event,
    },
    /// Replaces everything the page has of that session.
    Snapshot(Box<Snapshot>),
    /// What is known of the agents on offer.
    AgentsChanged {
        agents: Vec<AgentInfo>,
    },
    /// The list of sessions changed in these places.
    SessionsChanged {
        changed: Vec<SessionSummary>,
        removed: Vec<String>,
    },
}

impl ServerFrame {
    /// Reads a frame as the server writes it; None if it is none this version knows.
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
            },
            "event" => Self::Event {
                session_id: fields.text("session_id"),
                seq: fields.number("seq"),
                event: Event::from_fields(fields.object("event")),
            },
            "snapshot" => Self::Snapshot(fields.rest()?),
            "agents_changed" => Self::AgentsChanged { agents: fields.required("agents")? },
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
    /// Where a new session starts unless the person picks another folder.
    pub default_cwd: String,
    pub sessions: Vec<SessionSummary>,
}

readable!(Welcome {
    version "version", server_version "server_version", agents "agents", default_cwd "default_cwd",
    sessions "sessions";
});

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentInfo {
    pub name: String,
    pub dialect: String,
    /// As it tells itself, once it has been asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The built-in guide, as opposed to an agent with a model behind it.
    #[serde(default)]
    pub demo: bool,
    /// Why it cannot be used now, in words for the person.
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
    /// Why it is in that state, where that needs words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Milliseconds since 1970.
    pub modified: u64,
    #[serde(default, skip_serializing_if = "is_false")]
    pub pinned: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub archived: bool,
    /// It has come to rest since the person last looked at it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unread: bool,
    /// Another program is writing it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub elsewhere: bool,
    /// What it waits for: the tray answers these in place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<Ask>,
}

readable!(SessionSummary {
    id "id", agent "agent", cwd "cwd", title "title", state "state", modified "modified";
    reason "reason", pinned "pinned", archived "archived", unread "unread", elsewhere "elsewhere", asks "asks",
});
