//! `UiMessage`: the one kind of row that a conversation is shown as, live and after a reload.
//! Nothing here knows where a row came from or how it is drawn.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::json::Fields;
use crate::json::{Readable, readable, readable_names};

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
}

/// What a row says that this version cannot show.
const PLACEHOLDER: &str = "A message of a kind this version does not know.";

impl UiMessage {
    /// Reads a row, whatever it is: one that is not understood becomes a placeholder, so that the number of rows and
    /// the places of the others stay right.
    pub fn from_value(value: Value) -> Self {
        let mut fields = Fields::of(value).unwrap_or_default();
        let mut message = Self {
            id: fields.text("id"),
            kind: fields.read("kind"),
            text: fields.text("text"),
            tool_step: fields.read("tool_step"),
            bash_result: fields.read("bash_result"),
            images: fields.read("images"),
            mark: fields.read("mark"),
        };
        message.tool_step = message.tool_step.filter(|_| message.kind == Kind::Tool);
        message.bash_result = message.bash_result.filter(|_| message.kind == Kind::Bash);
        let hollow = match message.kind {
            Kind::Tool => message.tool_step.is_none(),
            Kind::Bash => message.bash_result.is_none(),
            Kind::System => message.text.is_empty(),
            _ => false,
        };
        if hollow {
            message.kind = Kind::System;
            message.text = PLACEHOLDER.to_owned();
        }
        message
    }
}

impl Readable for UiMessage {
    fn read(value: Value) -> Option<Self> {
        Some(Self::from_value(value))
    }
}

impl<'de> Deserialize<'de> for UiMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from_value)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    User,
    Assistant,
    Thinking,
    Tool,
    Bash,
    Error,
    /// Also the placeholder for a kind of row this version does not know.
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

readable_names!(Kind {
    "user" User, "assistant" Assistant, "thinking" Thinking, "tool" Tool, "bash" Bash, "error" Error,
} else System);

/// What is special about a row beyond its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Shown before the server has confirmed it.
    Sending,
    /// The server refused it; its text can be taken back into the editor.
    Refused,
    /// The work behind it ended before it was complete.
    Interrupted,
    /// The person stopped the work behind it.
    Cancelled,
    /// How a question ended: exactly these words, and no Markdown.
    Answered,
    /// What was said before, in short: the model goes on from it.
    Compacted,
    /// What was said on a branch that was left, in short.
    LeftBranch,
}

readable_names!(Mark {
    "sending" Sending, "refused" Refused, "interrupted" Interrupted, "cancelled" Cancelled, "answered" Answered,
    "compacted" Compacted, "left_branch" LeftBranch,
});

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolStep {
    pub call_id: String,
    pub tool_name: String,
    /// Always complete, however long; a short description is derived for display.
    pub tool_args: Value,
    pub phase: Phase,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

readable!(ToolStep {
    call_id "call_id", tool_name "tool_name", phase "phase";
    tool_args "tool_args", result "result", details "details", duration_ms "duration_ms",
});

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
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

readable_names!(Phase { "calling" Calling, "running" Running, "done" Done, "error" Error });

/// A shell command of the user's own, as pi's history keeps it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Still under way.
    #[serde(default, skip_serializing_if = "is_false")]
    pub running: bool,
}

readable!(BashResult {
    command "command";
    output "output", exit_code "exitCode", cancelled "cancelled", truncated "truncated",
    exclude_from_context "excludeFromContext", running "running",
});

fn is_false(value: &bool) -> bool {
    !value
}

/// A picture: inside a prompt and in an agent's own words as base64 `data`; once the server has it, as the name of
/// a `blob` that is fetched by address, so that it never travels twice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    #[serde(default, alias = "mime_type")]
    pub mime_type: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub data: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub blob: String,
}

impl Readable for Image {
    fn read(value: Value) -> Option<Self> {
        let mut fields = Fields::of(value)?;
        let mime_type = fields.optional_text("mimeType").unwrap_or_else(|| fields.text("mime_type"));
        Some(Self { mime_type, data: fields.text("data"), blob: fields.text("blob") })
    }
}
