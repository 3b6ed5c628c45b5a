//! Transcript messages as agents send and store them, in pi's format and its variants. Decoding never fails: an
//! unknown or malformed part becomes [`Part::Unknown`] and an unknown role [`Message::Hidden`], so the rest stays
//! readable.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::conversation::ui_message::{BashResult, Image};
use crate::json::{FromJson, Object};

/// One message of a transcript.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "role", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Message {
    User {
        content: Content,
        /// The id that the sending client chose. The server adds it, so that the client recognises its optimistic
        /// row.
        #[serde(skip_serializing_if = "Option::is_none")]
        client_id: Option<String>,
        /// When the message was created, in milliseconds since 1970. Live events and the agent's file carry the
        /// same value.
        #[serde(skip_serializing_if = "Option::is_none")]
        timestamp: Option<u64>,
    },
    Assistant {
        content: Content,
        stop_reason: StopReason,
        #[serde(skip_serializing_if = "Option::is_none")]
        error_message: Option<String>,
        /// As for a user message.
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
        /// The call as it ended, if it has changed since its assistant message ended.
        #[serde(skip_serializing_if = "Option::is_none")]
        call: Option<Box<ToolCall>>,
    },
    BashExecution {
        #[serde(flatten)]
        result: BashResult,
    },
    /// A message from an extension. It has a row only if `display` is set.
    Custom {
        content: Content,
        display: bool,
    },
    /// How a question to the user ended. `words` is shown verbatim.
    Answered {
        words: String,
    },
    CompactionSummary {
        summary: String,
    },
    BranchSummary {
        summary: String,
    },
    /// Instructions to the model and unknown roles. They have no row.
    Hidden,
}

/// Why an assistant message ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(rename_all = "camelCase")]
pub enum StopReason {
    Stop,
    Length,
    ToolUse,
    Error,
    Aborted,
    /// Not ended yet, or an unknown reason.
    #[default]
    #[serde(other)]
    Pending,
}

/// The parts of a message. Agents may write a plain string in place of a single text part.
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
    /// The bytes of the text before it that are left out because it is too long. Not a part of its own.
    LeftOut {
        bytes: u64,
    },
    /// A part of an unknown type, unchanged. `Null` for a malformed part of a known type.
    #[serde(untagged)]
    Unknown(Value),
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, FromJson)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    #[serde(default)]
    pub id: String,
    #[serde(default)]
    pub name: String,
    #[serde(default, alias = "input", deserialize_with = "deserialize_arguments")]
    #[json(with = "parsed_arguments")]
    pub arguments: Value,
    /// Why the agent could not parse the arguments, for example because they were truncated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_error: Option<String>,
    #[serde(default, skip_serializing_if = "CallInfo::is_empty")]
    pub info: CallInfo,
}

/// Properties of a call that some agents report in addition to its tool and its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(default)]
pub struct CallInfo {
    /// The call in the agent's words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The files that the call is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
    /// The id of the call that delegated this one to another agent; empty for a call of the agent itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub parent: String,
    /// The agent's own name of the tool, if it is shown by the name of its kind.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub own_name: String,
}

impl CallInfo {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A place in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(default)]
pub struct Location {
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

impl Message {
    /// When a user or assistant message was created, in milliseconds since 1970. Identifies the message in a file.
    pub const fn timestamp(&self) -> Option<u64> {
        match self {
            Self::User { timestamp, .. } | Self::Assistant { timestamp, .. } => *timestamp,
            _ => None,
        }
    }

    /// Reads a message from an agent or from the server. Anything unknown becomes [`Message::Hidden`].
    pub fn from_value(value: Value) -> Self {
        let Some(mut object) = Object::of(value) else { return Self::Hidden };
        let content = Content::from_value(object.take("content"));
        match object.text("role").as_str() {
            "user" => Self::User {
                content,
                client_id: object.optional_text("clientId"),
                timestamp: object.optional_number("timestamp"),
            },
            "assistant" => Self::Assistant {
                content,
                stop_reason: object.read("stopReason"),
                error_message: object.optional_text("errorMessage"),
                timestamp: object.optional_number("timestamp"),
            },
            "toolResult" => Self::ToolResult {
                tool_call_id: object.text("toolCallId"),
                tool_name: object.text("toolName"),
                content,
                details: object.read("details"),
                is_error: object.flag("isError"),
                duration_ms: object.optional_number("durationMs"),
                call: object.read("call"),
            },
            "bashExecution" => object.rest().map_or(Self::Hidden, |result| Self::BashExecution { result }),
            "custom" => Self::Custom { content, display: object.flag("display") },
            "answered" => Self::Answered { words: object.text("words") },
            "compactionSummary" => Self::CompactionSummary { summary: object.text("summary") },
            "branchSummary" => Self::BranchSummary { summary: object.text("summary") },
            _ => Self::Hidden,
        }
    }

    /// The images of the message, in order.
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

    /// All text parts, joined by line breaks.
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

    /// The bytes of the texts that are left out because they are too long.
    pub fn left_out(&self) -> u64 {
        let left_out = self.0.iter().map(|part| match part {
            Part::LeftOut { bytes } => *bytes,
            _ => 0,
        });
        left_out.fold(0, u64::saturating_add)
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
        let known = ["text", "thinking", "toolCall", "tool_use", "tool_call", "image", "leftOut"];
        if !known.contains(&kind.as_str()) {
            return Self::Unknown(value);
        }
        let mut object = Object::of(value).unwrap_or_default();
        let part = match kind.as_str() {
            "text" => object.optional_text("text").map(|text| Self::Text { text }),
            "thinking" => object
                .optional_text("thinking")
                .or_else(|| object.optional_text("text"))
                .map(|thinking| Self::Thinking { thinking }),
            "image" => object.rest().map(Self::Image),
            "leftOut" => Some(Self::LeftOut { bytes: object.number("bytes") }),
            _ => object.rest().map(Self::ToolCall),
        };
        part.unwrap_or(Self::Unknown(Value::Null))
    }
}

fn deserialize_arguments<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    Value::deserialize(deserializer).map(parsed_arguments)
}

/// Parses arguments that are a string of JSON, as some agents write them.
fn parsed_arguments(arguments: Value) -> Value {
    match arguments {
        Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        value => value,
    }
}
