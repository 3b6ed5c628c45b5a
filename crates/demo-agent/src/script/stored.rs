//! What a script leaves in the session file, so that a reload sees what pi would have stored.
//!
//! With a recorded session file its entries are copied as their messages pass; without one, each message that ends
//! becomes an entry.

use serde_json::Value;

use crate::{
    agent::Agent,
    session::{Body, SessionFile},
};

pub(super) enum Stored {
    Copied { entries: Vec<Entry>, next: usize },
    Made,
}

/// An entry as it is spelled in the file; spelling it anew would round its numbers.
pub(super) struct Entry {
    line: String,
    message: Value,
}

impl Stored {
    /// `session` is the text of the recorded session file, if there is one.
    pub(super) fn new(session: Option<&str>) -> Self {
        match session {
            None => Self::Made,
            Some(text) => Self::Copied { entries: text.lines().filter_map(read_entry).collect(), next: 0 },
        }
    }

    /// A message has ended: everything up to its entry is stored.
    pub(super) fn message_ended(&mut self, agent: &Agent, message: &Value) {
        agent.with(|state| match self {
            Self::Made => {
                state.session.append(&Body::RecordedMessage { message });
            }
            Self::Copied { entries, next } => {
                let rest = entries.get(*next..).unwrap_or_default();
                if let Some(place) = rest.iter().position(|entry| entry.message == *message) {
                    copy(&mut state.session, &rest[..=place]);
                    *next += place + 1;
                }
            }
        });
    }

    /// The script is over: what no message led to is stored now.
    pub(super) fn script_ended(&mut self, agent: &Agent) {
        if let Self::Copied { entries, next } = self {
            agent.with(|state| copy(&mut state.session, entries.get(*next..).unwrap_or_default()));
            *next = entries.len();
        }
    }
}

fn read_entry(line: &str) -> Option<Entry> {
    let entry: Value = serde_json::from_str(line).ok()?;
    let is_header = entry["type"] == "session";
    (!is_header).then(|| Entry { line: line.to_owned(), message: entry["message"].clone() })
}

fn copy(session: &mut SessionFile, entries: &[Entry]) {
    for entry in entries {
        session.append_recorded(&entry.line);
    }
}
