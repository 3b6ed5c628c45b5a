//! Writes the session file during a script, so that a reload shows the entries that pi would have stored.
//!
//! If a session file was recorded with the script, its entries are copied when their messages end. Otherwise every
//! message that ends becomes a new entry.

use serde_json::Value;

use crate::{
    agent::Agent,
    session::{EntryBody, SessionFile},
};

pub(super) enum SessionRecorder {
    /// Copies the entries of a recorded session file.
    Copy { entries: Vec<RecordedEntry>, next: usize },
    /// Creates an entry for every message.
    Create,
}

/// An entry as the exact line of the file; serialising it again would round its numbers.
pub(super) struct RecordedEntry {
    line: String,
    message: Value,
}

impl SessionRecorder {
    /// `session` is the text of the recorded session file.
    pub(super) fn new(session: Option<&str>) -> Self {
        match session {
            None => Self::Create,
            Some(text) => Self::Copy { entries: text.lines().filter_map(parse_entry).collect(), next: 0 },
        }
    }

    /// Stores the entries up to and including the one of a message that has ended.
    pub(super) fn message_ended(&mut self, agent: &Agent, message: &Value) {
        agent.with(|state| match self {
            Self::Create => {
                state.session.append(&EntryBody::RecordedMessage { message });
            }
            Self::Copy { entries, next } => {
                let rest = entries.get(*next..).unwrap_or_default();
                if let Some(index) = rest.iter().position(|entry| entry.message == *message) {
                    copy(&mut state.session, &rest[..=index]);
                    *next += index + 1;
                }
            }
        });
    }

    /// Stores the remaining entries at the end of the script.
    pub(super) fn script_ended(&mut self, agent: &Agent) {
        if let Self::Copy { entries, next } = self {
            agent.with(|state| copy(&mut state.session, entries.get(*next..).unwrap_or_default()));
            *next = entries.len();
        }
    }
}

fn parse_entry(line: &str) -> Option<RecordedEntry> {
    let entry: Value = serde_json::from_str(line).ok()?;
    let is_header = entry["type"] == "session";
    (!is_header).then(|| RecordedEntry { line: line.to_owned(), message: entry["message"].clone() })
}

fn copy(session: &mut SessionFile, entries: &[RecordedEntry]) {
    for entry in entries {
        session.append_recorded(&entry.line);
    }
}
