//! Reads entries of a session file in full. `index` knows where they are and which of them are shown; `records` has
//! already dropped incomplete and malformed lines.

use std::collections::BTreeMap;

use pilothouse_core::SessionState;
use pilothouse_core::conversation::message::{Content, Message, StopReason};
use pilothouse_core::protocol::event::Event;
use pilothouse_core::session::machine::Evidence;
use serde_json::Value;

use super::index::SessionIndex;
use super::repair::repair;

/// The contribution of an entry to the conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum EntryContent {
    Message(Message),
    Model {
        provider: String,
        model_id: String,
    },
    ThinkingLevel(String),
    Mode(String),
    /// The values of the agent's other options, by id.
    Options(BTreeMap<String, String>),
    /// The entry is valid and contributes nothing.
    Empty,
}

/// Something that happened in the conversation and is not in the agent's file: an interrupted reply, the end of a
/// process. Its time decides its position among the entries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extra {
    /// In milliseconds since 1970. The events are shown before the first entry with a later time.
    pub at: u64,
    pub events: Vec<Event>,
}

/// Reads an entry. Returns `None` if it is not a JSON object even after repair.
pub fn read_entry(bytes: &[u8]) -> Option<EntryContent> {
    let mut entry = parse_object(bytes)?;
    let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    Some(match entry.get("type").and_then(Value::as_str).unwrap_or_default() {
        "message" => EntryContent::Message(without_client_id(message(entry["message"].take()))),
        "custom_message" => {
            let display = entry.get("display").and_then(Value::as_bool).unwrap_or_default();
            let content = Content::from_value(entry["content"].take());
            EntryContent::Message(Message::Custom { content, display })
        }
        "compaction" => EntryContent::Message(Message::CompactionSummary { summary: text("summary") }),
        "branch_summary" => EntryContent::Message(Message::BranchSummary { summary: text("summary") }),
        "model_change" => EntryContent::Model { provider: text("provider"), model_id: text("modelId") },
        "thinking_level_change" => EntryContent::ThinkingLevel(text("thinkingLevel")),
        "options_change" => EntryContent::Options(options(&entry)),
        "mode_change" => EntryContent::Mode(text("mode")),
        _ => EntryContent::Empty,
    })
}

fn options(entry: &Value) -> BTreeMap<String, String> {
    let options = entry.get("options").and_then(Value::as_object).into_iter().flatten();
    options.filter_map(|(id, value)| Some((id.clone(), value.as_str()?.to_owned()))).collect()
}

/// Reads a message of pi, live or from a session file. If the user stops the agent during a tool call, pi writes an
/// empty reply with the stop reason `error`; that is read as `aborted`, since nothing failed.
pub fn message(value: Value) -> Message {
    let mut message = Message::from_value(value);
    if let Message::Assistant {
        stop_reason: stop_reason @ StopReason::Error, error_message: Some(error), ..
    } = &mut message
        && is_abort_error(error)
    {
        *stop_reason = StopReason::Aborted;
    }
    message
}

/// Whether pi writes this error for a stop by the user.
pub(super) fn is_abort_error(error: &str) -> bool {
    error == "This operation was aborted"
}

/// The id of an entry.
pub fn entry_id(bytes: &[u8]) -> Option<String> {
    parse_object(bytes)?.get("id").and_then(Value::as_str).map(str::to_owned)
}

/// Parses a line, after repair if it needs it. Returns `None` if it is not a JSON object.
pub(super) fn parse_object(bytes: &[u8]) -> Option<Value> {
    let value = serde_json::from_slice(bytes).ok();
    value.or_else(|| serde_json::from_slice(&repair(bytes)?).ok()).filter(Value::is_object)
}

/// Removes the client id: clients assign these ids, and a field of that name in a file is not one of them.
fn without_client_id(mut message: Message) -> Message {
    if let Message::User { client_id, .. } = &mut message {
        *client_id = None;
    }
    message
}

/// A whole session file in memory, for tests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionHistory {
    pub id: String,
    pub cwd: String,
    /// The name given to the session.
    pub name: Option<String>,
    title: String,
    /// The messages of the active branch.
    pub messages: Vec<Message>,
    pub model: Option<(String, String)>,
    pub thinking_level: Option<String>,
    /// Lines that could not be read.
    pub skipped_lines: usize,
}

impl SessionHistory {
    /// Parses a file. Returns `None` if the first record is not a session header.
    pub fn parse(file: &[u8]) -> Option<Self> {
        let mut index = SessionIndex::default();
        index.feed(file);
        index.flush();
        let facts = Some(index.facts()).filter(|facts| facts.is_session())?;
        let mut history = Self {
            id: facts.id.clone(),
            cwd: facts.cwd.clone(),
            name: facts.name.clone(),
            title: facts.title(),
            skipped_lines: index.skipped_lines(),
            ..Self::default()
        };
        for entry in index.active().into_iter().filter_map(|number| index.entry(number)) {
            let start = usize::try_from(entry.offset).ok()?;
            match file.get(start..start + entry.length).and_then(read_entry) {
                Some(EntryContent::Message(message)) => history.messages.push(message),
                Some(EntryContent::Model { provider, model_id }) => {
                    history.model = Some((provider, model_id))
                }
                Some(EntryContent::ThinkingLevel(level)) => history.thinking_level = Some(level),
                Some(EntryContent::Mode(_) | EntryContent::Options(_) | EntryContent::Empty) => {}
                None => history.skipped_lines += 1,
            }
        }
        Some(history)
    }

    /// The name of the session, or a title made from its first user message.
    pub fn title(&self) -> String {
        self.title.clone()
    }

    /// The state of the session while no agent runs it.
    pub fn resting_state(&self) -> SessionState {
        Evidence::from_history(self.messages.iter()).state()
    }
}

#[cfg(test)]
#[path = "entry_tests.rs"]
mod tests;
