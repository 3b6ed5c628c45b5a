//! Reads the text of pi's session files. The file is append-only: its last entry is the leaf, and the conversation
//! is the path from the root to it. Torn, foreign and malformed lines are counted and passed over.

use std::collections::HashMap;

use pilothouse_core::SessionState;
use pilothouse_core::describe::title_from;
use pilothouse_core::machine::Evidence;
use pilothouse_core::message::{Content, Message};
use serde_json::Value;

use super::decode::message;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionHistory {
    pub id: String,
    pub cwd: String,
    /// A name given to the session.
    pub name: Option<String>,
    /// The active branch.
    pub messages: Vec<Message>,
    pub model: Option<(String, String)>,
    pub thinking_level: Option<String>,
    /// Lines that could not be read.
    pub skipped_lines: usize,
}

impl SessionHistory {
    /// None if the first line is not the header of a session.
    pub fn parse(file: &[u8]) -> Option<Self> {
        let mut lines = file.split(|byte| *byte == b'\n');
        let header = parse_line(lines.next()?)?;
        if header.get("type")?.as_str()? != "session" {
            return None;
        }
        let field = |key| header.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut history = Self { id: field("id"), cwd: field("cwd"), ..Self::default() };
        let mut entries = Vec::new();
        for line in lines.map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()) {
            match parse_line(line) {
                Some(entry) => entries.push(entry),
                None => history.skipped_lines += 1,
            }
        }
        for entry in active_branch(entries) {
            history.take(entry);
        }
        Some(history)
    }

    fn take(&mut self, mut entry: Value) {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        match entry.get("type").and_then(Value::as_str).unwrap_or_default() {
            "message" => self.messages.push(message(entry["message"].take())),
            "custom_message" => {
                let display = entry.get("display").and_then(Value::as_bool).unwrap_or_default();
                let content = Content::from_value(entry["content"].take());
                self.messages.push(Message::Custom { content, display });
            }
            "compaction" => self.messages.push(Message::CompactionSummary { summary: text("summary") }),
            "branch_summary" => self.messages.push(Message::BranchSummary { summary: text("summary") }),
            "session_info" => self.name = Some(text("name")).filter(|name| !name.is_empty()),
            "model_change" => self.model = Some((text("provider"), text("modelId"))),
            "thinking_level_change" => self.thinking_level = Some(text("thinkingLevel")),
            _ => {}
        }
    }

    /// The given name, else the first user message.
    pub fn title(&self) -> String {
        let first_words = || {
            self.messages.iter().find_map(|message| match message {
                Message::User { content, .. } => {
                    Some(title_from(&content.text())).filter(|title| !title.is_empty())
                }
                _ => None,
            })
        };
        self.name.clone().or_else(first_words).unwrap_or_default()
    }

    /// The state of a session that nobody runs.
    pub fn resting_state(&self) -> SessionState {
        Evidence::from_history(self.messages.iter()).state()
    }
}

fn parse_line(line: &[u8]) -> Option<Value> {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    serde_json::from_slice(line).ok().filter(Value::is_object)
}

/// The path from the root to the last entry. Entries without an id belong to no branch and are kept as they stand;
/// a missing parent ends the path there.
fn active_branch(entries: Vec<Value>) -> Vec<Value> {
    let id = |entry: &Value| entry.get("id").and_then(Value::as_str).map(str::to_owned);
    let places: HashMap<String, usize> =
        entries.iter().enumerate().filter_map(|(place, entry)| Some((id(entry)?, place))).collect();
    let mut active: Vec<bool> = entries.iter().map(|entry| id(entry).is_none()).collect();
    let mut place = entries.iter().rposition(|entry| id(entry).is_some());
    while let Some(here) = place.filter(|here| !active[*here]) {
        active[here] = true;
        place = entries[here]
            .get("parentId")
            .and_then(Value::as_str)
            .and_then(|parent| places.get(parent))
            .copied();
    }
    entries.into_iter().zip(active).filter(|(_, active)| *active).map(|(entry, _)| entry).collect()
}

#[cfg(test)]
#[path = "history_tests.rs"]
mod tests;
