//! `UiMessage`: one row of the timeline, the same live and after a reload. Independent of where a row comes from
//! and how the page renders it.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::conversation::message::CallInfo;
use crate::json::{FromJson, Object};

/// One row of the timeline.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct UiMessage {
    pub id: String,
    pub kind: Kind,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_step: Option<ToolStep>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bash_result: Option<BashResult>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
    /// The bytes of the text, or of the result of a tool, that are not shown because it is too long.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: u64,
}

/// The text of a row that this version cannot show.
const PLACEHOLDER: &str = "This version of Pilothouse can't show this message.";

impl UiMessage {
    /// Reads a row. An unreadable row becomes a placeholder, so that the number and the order of rows stay the
    /// same.
    pub fn from_value(value: Value) -> Self {
        let mut object = Object::of(value).unwrap_or_default();
        let mut message = Self {
            id: object.text("id"),
            kind: object.read("kind"),
            text: object.text("text"),
            tool_step: object.read("tool_step"),
            bash_result: object.read("bash_result"),
            images: object.read("images"),
            mark: object.read("mark"),
            left_out: object.number("left_out"),
        };
        message.tool_step = message.tool_step.filter(|_| message.kind == Kind::Tool);
        message.bash_result = message.bash_result.filter(|_| message.kind == Kind::Bash);
        let unreadable = match message.kind {
            Kind::Tool => message.tool_step.is_none(),
            Kind::Bash => message.bash_result.is_none(),
            Kind::System => message.text.is_empty(),
            _ => false,
        };
        if unreadable {
            message.kind = Kind::System;
            message.text = PLACEHOLDER.to_owned();
        }
        message
    }

    /// The bytes that are not shown because the row is too long.
    pub fn bytes_left_out(&self) -> u64 {
        self.left_out.saturating_add(self.bash_result.as_ref().map_or(0, |result| result.left_out))
    }
}

/// The last prompt that the server accepted, for example to send it again after a failure.
pub fn last_user_message(rows: &[UiMessage]) -> Option<&UiMessage> {
    rows.iter().rfind(|row| row.kind == Kind::User && row.mark.is_none())
}

impl FromJson for UiMessage {
    fn from_json(value: Value) -> Option<Self> {
        Some(Self::from_value(value))
    }
}

impl<'de> Deserialize<'de> for UiMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from_value)
    }
}

/// The kind of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, FromJson)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    User,
    Assistant,
    Thinking,
    Tool,
    Bash,
    Error,
    /// Also the placeholder for unknown kinds.
    #[default]
    #[serde(other)]
    System,
}

impl Kind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Thinking => "thinking",
            Self::Tool => "tool",
            Self::Bash => "bash",
            Self::Error => "error",
            Self::System => "system",
        }
    }
}

/// The status or origin of a row, beyond its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// An optimistic row: the server has not confirmed it yet.
    Sending,
    /// The server refused the prompt. The user can move its text back into the editor.
    Refused,
    /// The message or call ended before it was complete.
    Interrupted,
    /// The user stopped the call.
    Cancelled,
    /// The outcome of a question, shown verbatim instead of as Markdown.
    Answered,
    /// A summary of the conversation so far, from which the model continues.
    Compacted,
    /// A summary of an abandoned branch.
    LeftBranch,
}

/// A tool call and its result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, FromJson)]
pub struct ToolStep {
    pub call_id: String,
    pub tool_name: String,
    /// The complete arguments. `render::describe` derives a short description.
    pub tool_args: Value,
    pub phase: Phase,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "CallInfo::is_empty")]
    pub info: CallInfo,
}

/// The arguments that name a file or a folder.
pub const PATH_ARGUMENTS: [&str; 6] = ["path", "file_path", "filePath", "absolute_path", "filepath", "file"];

impl ToolStep {
    /// The files and folders that the call names.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let arguments = PATH_ARGUMENTS.iter().filter_map(|key| self.tool_args.get(key)?.as_str());
        arguments.chain(self.info.locations.iter().map(|location| location.path.as_str()))
    }
}

/// The progress of a tool call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, FromJson)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The model is writing the call, or its execution has not begun.
    #[default]
    Calling,
    Running,
    Done,
    Error,
}

impl Phase {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Calling => "calling",
            Self::Running => "running",
            Self::Done => "done",
            Self::Error => "error",
        }
    }

    pub const fn is_open(self) -> bool {
        matches!(self, Self::Calling | Self::Running)
    }
}

/// A shell command of the user and its output, in the form in which pi stores it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(rename_all = "camelCase")]
pub struct BashResult {
    pub command: String,
    #[serde(default)]
    pub output: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub cancelled: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub exclude_from_context: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub running: bool,
    /// The bytes of the output that are not shown because it is too long.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
}

fn is_false(value: &bool) -> bool {
    !value
}

pub(crate) fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// An image. Prompts and agents' messages carry it as base64 `data`. The server replaces that with the name of a
/// `blob`, which the page fetches by URL, so that the image is not sent with every event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    #[serde(default, alias = "mime_type")]
    pub mime_type: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub data: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub blob: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_user_message_is_the_last_that_was_not_refused() {
        let row = |kind, text: &str| UiMessage { kind, text: text.into(), ..UiMessage::default() };
        let mut rows = [row(Kind::User, "first"), row(Kind::Assistant, ""), row(Kind::User, "second")];
        assert_eq!(last_user_message(&rows).map(|row| row.text.as_str()), Some("second"));
        rows[2].mark = Some(Mark::Refused);
        assert_eq!(last_user_message(&rows), Some(&rows[0]));
        assert_eq!(last_user_message(&[row(Kind::System, ""), row(Kind::Assistant, "")]), None);
    }
}
