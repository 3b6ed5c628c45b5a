//! The server's frames, read by hand. Core's own derived reading of them is complete and generic, and takes a quarter
//! of the page's size for generality the page has no use for: what arrives here was written by those same types.
//! Tests hold the two equal, and a new event does not compile without being read here.
//!
//! Lenient throughout: what is missing or of another type is as if it were empty.

mod event;
mod fields;
mod message;
mod parts;

use pilothouse_core::limits::PROTOCOL_VERSION;
use pilothouse_core::wire::{
    AgentInfo, DirectoryListing, MessagesPage, ServerFrame, SessionSummary, Snapshot, Welcome,
};
use serde_json::Value;

use fields::Fields;

/// None for what is no frame, or of a kind this version does not know.
pub fn server_frame(text: &str) -> Option<ServerFrame> {
    let mut fields = Fields::of(serde_json::from_str(text).ok()?);
    Some(match fields.text("type").as_str() {
        "event" => ServerFrame::Event {
            session_id: fields.text("session_id"),
            seq: fields.number("seq"),
            event: event::event(fields.take("event")),
        },
        "response" => ServerFrame::Response {
            id: fields.text("id"),
            command: fields.text("command"),
            success: fields.flag("success"),
            data: fields.take("data"),
            error: fields.optional_text("error"),
        },
        "snapshot" => ServerFrame::Snapshot(Box::new(snapshot(fields))),
        "sessions_changed" => ServerFrame::SessionsChanged {
            changed: fields.list("changed", session_summary),
            removed: fields.texts("removed"),
        },
        "welcome" => ServerFrame::Welcome(welcome(fields)),
        _ => return None,
    })
}

fn welcome(mut fields: Fields) -> Welcome {
    Welcome {
        version: u32::try_from(fields.number("version")).unwrap_or(PROTOCOL_VERSION + 1),
        server_version: fields.text("server_version"),
        agents: fields.list("agents", agent),
        default_cwd: fields.text("default_cwd"),
        sessions: session_summaries(fields.take("sessions")),
    }
}

fn agent(value: Value) -> AgentInfo {
    let mut fields = Fields::of(value);
    AgentInfo {
        name: fields.text("name"),
        dialect: fields.text("dialect"),
        demo: fields.flag("demo"),
        problem: fields.optional_text("problem"),
    }
}

/// The answer to `list_sessions`, without what is around it.
pub fn session_summaries(value: Value) -> Vec<SessionSummary> {
    fields::list(value, session_summary)
}

fn session_summary(value: Value) -> SessionSummary {
    let mut fields = Fields::of(value);
    SessionSummary {
        id: fields.text("id"),
        agent: fields.text("agent"),
        cwd: fields.text("cwd"),
        title: fields.text("title"),
        state: parts::state(&fields.text("state")),
        modified: fields.number("modified"),
    }
}

fn snapshot(mut fields: Fields) -> Snapshot {
    Snapshot {
        session_id: fields.text("session_id"),
        epoch: fields.text("epoch"),
        seq: fields.number("seq"),
        agent: fields.text("agent"),
        cwd: fields.text("cwd"),
        title: fields.text("title"),
        total: fields.index("total"),
        first: fields.index("first"),
        messages: fields.list("messages", message::row),
        // Closed to everybody but the reducer.
        streaming: serde_json::from_value(fields.take("streaming")).unwrap_or_default(),
        state: parts::state(&fields.text("state")),
        reason: fields.text("reason"),
        queue: fields.list("queue", parts::scheduled),
        asks: fields.list("asks", parts::ask),
        context_usage: fields.optional("context_usage", parts::context_usage),
        model: fields.optional("model", parts::model),
        thinking_level: fields.text("thinking_level"),
        retry: fields.optional("retry", parts::retry_note),
        compacting: fields.flag("compacting"),
        capabilities: parts::capabilities(fields.take("capabilities")),
    }
}

/// The answer to `get_messages`.
pub fn messages_page(value: Value) -> MessagesPage {
    let mut fields = Fields::of(value);
    MessagesPage {
        first: fields.index("first"),
        total: fields.index("total"),
        messages: fields.list("messages", message::row),
    }
}

/// The answer to `list_directory`.
pub fn directory_listing(value: Value) -> DirectoryListing {
    let mut fields = Fields::of(value);
    DirectoryListing {
        path: fields.text("path"),
        parent: fields.optional_text("parent"),
        folders: fields.texts("folders"),
        truncated: fields.flag("truncated"),
    }
}

#[cfg(test)]
mod tests;
