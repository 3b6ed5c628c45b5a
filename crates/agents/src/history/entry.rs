//! What the entries of pi's session files say in full. Where they stand and which of them are shown is known by
//! `index`; torn, foreign and malformed lines never get here.

use pilothouse_core::SessionState;
use pilothouse_core::conversation::message::{Content, Message, StopReason};
use pilothouse_core::protocol::event::Event;
use pilothouse_core::session::machine::Evidence;
use serde_json::Value;

use super::index::SessionIndex;
use super::repair::repair;

/// What an entry adds to a conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum EntryContent {
    Message(Message),
    Model { provider: String, model_id: String },
    ThinkingLevel(String),
    Nothing,
}

/// Something that happened to the conversation and that the agent's file does not know: an interrupted reply, the end
/// of a process. It is shown in its place by the time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extra {
    /// In milliseconds since 1970: before the first entry that was written later.
    pub at: u64,
    pub events: Vec<Event>,
}

/// Reads an entry. None if it cannot be read after all.
pub fn read_entry(bytes: &[u8]) -> Option<EntryContent> {
    let mut entry = value(bytes)?;
    let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    Some(match entry.get("type").and_then(Value::as_str).unwrap_or_default() {
        "message" => EntryContent::Message(of_history(message(entry["message"].take()))),
        "custom_message" => {
            let display = entry.get("display").and_then(Value::as_bool).unwrap_or_default();
            let content = Content::from_value(entry["content"].take());
            EntryContent::Message(Message::Custom { content, display })
        }
        "compaction" => EntryContent::Message(Message::CompactionSummary { summary: text("summary") }),
        "branch_summary" => EntryContent::Message(Message::BranchSummary { summary: text("summary") }),
        "model_change" => EntryContent::Model { provider: text("provider"), model_id: text("modelId") },
        "thinking_level_change" => EntryContent::ThinkingLevel(text("thinkingLevel")),
        _ => EntryContent::Nothing,
    })
}

/// A message of pi's, live or from a session file. A stop in the middle of a tool leaves an empty reply that calls
/// itself an error; it is the person's stop, not a failure.
pub fn message(value: Value) -> Message {
    let mut message = Message::from_value(value);
    if let Message::Assistant {
        stop_reason: stop_reason @ StopReason::Error, error_message: Some(error), ..
    } = &mut message
        && is_stop_in_disguise(error)
    {
        *stop_reason = StopReason::Aborted;
    }
    message
}

pub(super) fn is_stop_in_disguise(error: &str) -> bool {
    error == "This operation was aborted"
}

/// The id of an entry.
pub fn entry_id(bytes: &[u8]) -> Option<String> {
    value(bytes)?.get("id").and_then(Value::as_str).map(str::to_owned)
}

fn value(bytes: &[u8]) -> Option<Value> {
    let value = serde_json::from_slice(bytes).ok();
    value.or_else(|| serde_json::from_slice(&repair(bytes)?).ok()).filter(Value::is_object)
}

/// Ids of pages are the server's own; whatever a file calls so is none.
fn of_history(mut message: Message) -> Message {
    if let Message::User { client_id, .. } = &mut message {
        *client_id = None;
    }
    message
}

/// A whole session file in memory: for small ones, and for tests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionHistory {
    pub id: String,
    pub cwd: String,
    /// A name given to the session.
    pub name: Option<String>,
    title: String,
    /// The active branch.
    pub messages: Vec<Message>,
    pub model: Option<(String, String)>,
    pub thinking_level: Option<String>,
    /// Lines that could not be read.
    pub skipped_lines: usize,
}

impl SessionHistory {
    /// None if the first record is not the header of a session.
    pub fn parse(file: &[u8]) -> Option<Self> {
        let mut index = SessionIndex::default();
        index.feed(file);
        index.end();
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
                Some(EntryContent::Nothing) => {}
                None => history.skipped_lines += 1,
            }
        }
        Some(history)
    }

    /// The given name, else the first user message.
    pub fn title(&self) -> String {
        self.title.clone()
    }

    /// The state of a session that nobody runs.
    pub fn resting_state(&self) -> SessionState {
        Evidence::from_history(self.messages.iter()).state()
    }
}

#[cfg(test)]
#[path = "entry_tests.rs"]
mod tests;
