//! Extracts the searchable text of one line of a session file: messages, tool calls and output, shell commands. Images,
//! instructions to the model and hidden messages are left out.

use pilothouse_core::Kind;
use pilothouse_core::conversation::message::{Content, Message, Part};
use pilothouse_core::limits::SEARCHABLE_BYTES;
use pilothouse_core::protocol::event::ToolOutput;
use serde_json::Value;

use super::entry::{message, parse_object};

/// The searchable text of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Searchable {
    /// Empty if the entry has none.
    pub entry_id: String,
    pub kind: Kind,
    /// Truncated to `SEARCHABLE_BYTES`.
    pub text: String,
}

/// Extracts the text of a line. Returns `None` if it has none or cannot be read.
pub fn searchable(entry: &[u8]) -> Option<Searchable> {
    let entry = entry.strip_prefix("\u{feff}".as_bytes()).unwrap_or(entry);
    let mut entry = parse_object(entry)?;
    let field = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let entry_id = field("id");
    let (kind, text) = match field("type").as_str() {
        "message" => message_text(message(entry.get_mut("message")?.take()))?,
        "custom_message" if entry.get("display").and_then(Value::as_bool).unwrap_or_default() => {
            (Kind::System, Content::from_value(entry.get_mut("content")?.take()).text())
        }
        "compaction" | "branch_summary" => (Kind::System, field("summary")),
        _ => return None,
    };
    // SQLite's tokenizer stops at a NUL.
    let text = truncate(text).replace('\0', " ");
    (!text.trim().is_empty()).then_some(Searchable { entry_id, kind, text })
}

fn message_text(message: Message) -> Option<(Kind, String)> {
    Some(match message {
        Message::User { content, .. } => (Kind::User, content.text()),
        Message::Assistant { content, error_message, .. } => assistant_text(content, error_message),
        Message::ToolResult { content, .. } => (Kind::Tool, ToolOutput::from_content(&content, None).text),
        Message::BashExecution { result } => (Kind::Bash, format!("{}\n{}", result.command, result.output)),
        Message::Custom { content, display: true } => (Kind::System, content.text()),
        Message::Answered { words: text }
        | Message::CompactionSummary { summary: text }
        | Message::BranchSummary { summary: text } => (Kind::System, text),
        Message::Custom { .. } | Message::Hidden => return None,
    })
}

/// The thinking, text, tool calls and error of a reply. A reply that only calls tools counts as a tool row.
fn assistant_text(content: Content, error: Option<String>) -> (Kind, String) {
    let (mut texts, mut calls) = (Vec::new(), Vec::new());
    for part in content.0 {
        match part {
            Part::Text { text } => texts.push(text),
            Part::Thinking { thinking } => texts.push(thinking),
            Part::ToolCall(call) => {
                calls.push(call.name);
                collect_texts(call.arguments, &mut calls);
            }
            Part::Image(_) | Part::LeftOut { .. } | Part::Unknown(_) => {}
        }
    }
    texts.retain(|text| !text.trim().is_empty());
    let kind = match (texts.is_empty(), calls.is_empty(), &error) {
        (true, false, _) => Kind::Tool,
        (true, true, Some(_)) => Kind::Error,
        _ => Kind::Assistant,
    };
    texts.extend(calls);
    texts.extend(error);
    (kind, texts.join("\n"))
}

/// Collects the values of arguments, without field names.
fn collect_texts(value: Value, texts: &mut Vec<String>) {
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::Number(number) => texts.push(number.to_string()),
        Value::String(text) => texts.push(text),
        Value::Array(values) => values.into_iter().for_each(|value| collect_texts(value, texts)),
        Value::Object(fields) => fields.into_iter().for_each(|(_, value)| collect_texts(value, texts)),
    }
}

fn truncate(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(SEARCHABLE_BYTES));
    text
}

#[cfg(test)]
#[path = "searchable_tests.rs"]
mod tests;
