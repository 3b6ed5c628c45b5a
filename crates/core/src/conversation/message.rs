//! The agents' own transcript messages, in the spelling pi made known and those of its relatives.
//! Decoding is lenient: an unknown or malformed part is `Unknown`, an unknown role `Hidden`, never an error for its
//! neighbours.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::conversation::ui_message::{BashResult, Image};
use crate::json::Fields;
use crate::json::{Readable, readable_names};

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "role", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Message {
    User {
        content: Content,
        /// The id the sending page chose; added by the server so that the page's own row is recognised.
        #[serde(skip_serializing_if = "Option::is_none")]
        client_id: Option<String>,
        /// When it was made, in milliseconds since 1970: the same live and in the agent's own file.
        #[serde(skip_serializing_if = "Option::is_none")]
        timestamp: Option<u64>,
    },
    Assistant {
        content: Content,
        stop_reason: StopReason,
        #[serde(skip_serializing_if = "Option::is_none")]
        error_message: Option<String>,
        /// As of a user's message.
        #[serde(skip_serializing_if = "Option::is_none")]
        timestamp: Option<u64>,
    },
    ToolResult {
        tool_call_id: String,
        tool_name: String,
        content: Content,
        #[serde(skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
        is_error: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        duration_ms: Option<u64>,
    },
    BashExecution {
        #[serde(flatten)]
        result: BashResult,
    },
    /// A message of an extension: shown only if it says so.
    Custom {
        content: Content,
        display: bool,
    },
    /// How a question to the person ended, word for word.
    Answered {
        words: String,
    },
    CompactionSummary {
        summary: String,
    },
    BranchSummary {
        summary: String,
    },
    /// Instructions to the model and roles this version does not know: no row.
    Hidden,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StopReason {
    Stop,
    Length,
    ToolUse,
    Error,
    Aborted,
    #[default]
    #[serde(other)]
    Pending,
}

readable_names!(StopReason {
    "stop" Stop, "length" Length, "toolUse" ToolUse, "error" Error, "aborted" Aborted,
} else Pending);

/// The parts of a message. Agents also write a plain string where there is just one text.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Content(pub Vec<Part>);

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Part {
    Text {
        text: String,
    },
    Thinking {
        thinking: String,
    },
    ToolCall(ToolCall),
    Image(Image),
    /// As it came; nothing where one of the others was malformed.
    #[serde(untagged)]
    Unknown(Value),
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    #[serde(default)]
    pub id: String,
    #[serde(default)]
    pub name: String,
    #[serde(default, alias = "input", deserialize_with = "arguments_maybe_as_text")]
    pub arguments: Value,
    /// Why the arguments could not be read, when the agent received them cut off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_error: Option<String>,
}

impl Message {
    /// When a person's or a model's message was made, in milliseconds since 1970: it is known again by that.
    pub const fn timestamp(&self) -> Option<u64> {
        match self {
            Self::User { timestamp, .. } | Self::Assistant { timestamp, .. } => *timestamp,
            _ => None,
        }
    }

    /// Reads a message of an agent's or of the server's. What is unknown gives no row.
    pub fn from_value(value: Value) -> Self {
        let Some(mut fields) = Fields::of(value) else { return Self::Hidden };
        let content = Content::from_value(fields.value("content"));
        match fields.text("role").as_str() {
            "user" => Self::User {
                content,
                client_id: fields.optional_text("clientId"),
                timestamp: fields.optional_number("timestamp"),
            },
            "assistant" => Self::Assistant {
                content,
                stop_reason: fields.read("stopReason"),
                error_message: fields.optional_text("errorMessage"),
                timestamp: fields.optional_number("timestamp"),
            },
            "toolResult" => Self::ToolResult {
                tool_call_id: fields.text("toolCallId"),
                tool_name: fields.text("toolName"),
                content,
                details: fields.read("details"),
                is_error: fields.flag("isError"),
                duration_ms: fields.optional_number("durationMs"),
            },
            "bashExecution" => fields.rest().map_or(Self::Hidden, |result| Self::BashExecution { result }),
            "custom" => Self::Custom { content, display: fields.flag("display") },
            "answered" => Self::Answered { words: fields.text("words") },
            "compactionSummary" => Self::CompactionSummary { summary: fields.text("summary") },
            "branchSummary" => Self::BranchSummary { summary: fields.text("summary") },
            _ => Self::Hidden,
        }
    }
}

impl Message {
    /// The pictures in it, in their order.
    pub fn images_mut(&mut self) -> impl Iterator<Item = &mut Image> {
        let content = match self {
            Self::User { content, .. }
            | Self::Assistant { content, .. }
            | Self::ToolResult { content, .. }
            | Self::Custom { content, .. } => Some(content),
            _ => None,
        };
        let parts = content.into_iter().flat_map(|content| &mut content.0);
        parts.filter_map(|part| match part {
            Part::Image(image) => Some(image),
            _ => None,
        })
    }
}

impl Content {
    pub fn from_value(value: Value) -> Self {
        match value {
            Value::String(text) => Self(vec![Part::Text { text }]),
            Value::Array(parts) => Self(parts.into_iter().map(Part::from_value).collect()),
            Value::Null => Self::default(),
            other => Self(vec![Part::from_value(other)]),
        }
    }

    /// All text parts, joined by a line break.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self
            .0
            .iter()
            .filter_map(|part| match part {
                Part::Text { text } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        texts.join("\n")
    }

    pub fn images(&self) -> Vec<Image> {
        let images = self.0.iter().filter_map(|part| match part {
            Part::Image(image) => Some(image.clone()),
            _ => None,
        });
        images.collect()
    }
}

impl Part {
    fn from_value(value: Value) -> Self {
        if let Value::String(text) = value {
            return Self::Text { text };
        }
        let kind = value.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        let known = ["text", "thinking", "toolCall", "tool_use", "tool_call", "image"];
        if !known.contains(&kind.as_str()) {
            return Self::Unknown(value);
        }
        let mut fields = Fields::of(value).unwrap_or_default();
        let part = match kind.as_str() {
            "text" => fields.optional_text("text").map(|text| Self::Text { text }),
            "thinking" => fields
                .optional_text("thinking")
                .or_else(|| fields.optional_text("text"))
                .map(|thinking| Self::Thinking { thinking }),
            "image" => fields.rest().map(Self::Image),
            _ => fields.rest().map(Self::ToolCall),
        };
        part.unwrap_or(Self::Unknown(Value::Null))
    }
}

impl Readable for ToolCall {
    fn read(value: Value) -> Option<Self> {
        let mut fields = Fields::of(value)?;
        let arguments = if fields.has("arguments") { "arguments" } else { "input" };
        Some(Self {
            id: fields.text("id"),
            name: fields.text("name"),
            arguments: untexted(fields.value(arguments)),
            arguments_error: fields.optional_text("argumentsError"),
        })
    }
}

fn arguments_maybe_as_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    Value::deserialize(deserializer).map(untexted)
}

/// Some agents write them as a text that is JSON.
fn untexted(arguments: Value) -> Value {
    match arguments {
        Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        value => value,
    }
}
