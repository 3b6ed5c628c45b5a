//! What a search can find of one line of pi's session file: all that a person wrote, was told or let run. Pictures,
//! instructions to the model and what is never shown are left out. Where the words are kept is not known here.

use pilothouse_core::Kind;
use pilothouse_core::conversation::message::{Content, Message, Part};
use pilothouse_core::limits::SEARCHABLE_BYTES;
use pilothouse_core::protocol::event::ToolOutput;
use serde_json::Value;

use super::entry::message;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Searchable {
    /// Empty where the entry has none.
    pub entry_id: String,
    pub kind: Kind,
    /// Cut at `SEARCHABLE_BYTES`.
    pub text: String,
}

/// None if there is nothing to be found, whatever the reason.
pub fn searchable(entry: &[u8]) -> Option<Searchable> {
    let entry = entry.strip_prefix("\u{feff}".as_bytes()).unwrap_or(entry);
    let mut entry: Value = serde_json::from_slice(entry).ok()?;
    let field = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let entry_id = field("id");
    let (kind, text) = match field("type").as_str() {
        "message" => of_message(message(entry.get_mut("message")?.take()))?,
        "custom_message" if entry.get("display").and_then(Value::as_bool).unwrap_or_default() => {
            (Kind::System, Content::from_value(entry.get_mut("content")?.take()).text())
        }
        "compaction" | "branch_summary" => (Kind::System, field("summary")),
        _ => return None,
    };
    // No tokenizer of C's goes beyond a NUL.
    let text = cut(text).replace('\0', " ");
    (!text.trim().is_empty()).then_some(Searchable { entry_id, kind, text })
}

fn of_message(message: Message) -> Option<(Kind, String)> {
    Some(match message {
        Message::User { content, .. } => (Kind::User, content.text()),
        Message::Assistant { content, error_message, .. } => of_assistant(content, error_message),
        Message::ToolResult { content, .. } => (Kind::Tool, ToolOutput::from_content(&content, None).text),
        Message::BashExecution { result } => (Kind::Bash, format!("{}\n{}", result.command, result.output)),
        Message::Custom { content, display: true } => (Kind::System, content.text()),
        Message::Answered { words: text }
        | Message::CompactionSummary { summary: text }
        | Message::BranchSummary { summary: text } => (Kind::System, text),
        Message::Custom { .. } | Message::Hidden => return None,
    })
}

/// What it thought and said, and what it wanted of its tools. A reply that only calls tools counts as their row.
fn of_assistant(content: Content, error: Option<String>) -> (Kind, String) {
    let (mut said, mut called) = (Vec::new(), Vec::new());
    for part in content.0 {
        match part {
            Part::Text { text } => said.push(text),
            Part::Thinking { thinking } => said.push(thinking),
            Part::ToolCall(call) => {
                called.push(call.name);
                collect_texts(call.arguments, &mut called);
            }
            Part::Image(_) | Part::Unknown(_) => {}
        }
    }
    said.retain(|text| !text.trim().is_empty());
    let kind = match (said.is_empty(), called.is_empty(), &error) {
        (true, false, _) => Kind::Tool,
        (true, true, Some(_)) => Kind::Error,
        _ => Kind::Assistant,
    };
    said.extend(called);
    said.extend(error);
    (kind, said.join("\n"))
}

/// The values of arguments, without their names and brackets.
fn collect_texts(value: Value, texts: &mut Vec<String>) {
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::Number(number) => texts.push(number.to_string()),
        Value::String(text) => texts.push(text),
        Value::Array(values) => values.into_iter().for_each(|value| collect_texts(value, texts)),
        Value::Object(fields) => fields.into_iter().for_each(|(_, value)| collect_texts(value, texts)),
    }
}

fn cut(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(SEARCHABLE_BYTES));
    text
}

#[cfg(test)]
#[path = "searchable_tests.rs"]
mod tests;
