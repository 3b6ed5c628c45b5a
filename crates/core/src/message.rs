//! The agents' own transcript messages, in the spelling pi made known and those of its relatives.
//! Decoding is lenient: what is unknown or malformed becomes `Unknown`, never an error for its neighbours.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::ui_message::{BashResult, Image};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Message {
    User {
        #[serde(default)]
        content: Content,
        /// The id the sending page chose; added by the server so that the page's own row is recognised.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client_id: Option<String>,
    },
    Assistant {
        #[serde(default)]
        content: Content,
        #[serde(default)]
        stop_reason: StopReason,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error_message: Option<String>,
    },
    ToolResult {
        #[serde(default)]
        tool_call_id: String,
        #[serde(default)]
        tool_name: String,
        #[serde(default)]
        content: Content,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
        #[serde(default)]
        is_error: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        duration_ms: Option<u64>,
    },
    BashExecution {
        #[serde(flatten)]
        result: BashResult,
    },
    /// A message of an extension: shown only if it says so.
    Custom {
        #[serde(default)]
        content: Content,
        #[serde(default)]
        display: bool,
    },
    CompactionSummary {
        #[serde(default)]
        summary: String,
    },
    BranchSummary {
        #[serde(default)]
        summary: String,
    },
    /// Instructions to the model and roles this version does not know: no row.
    #[serde(other)]
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

/// The parts of a message. Agents also write a plain string where there is just one text.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Content(pub Vec<Part>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Part {
    Text {
        text: String,
    },
    Thinking {
        #[serde(alias = "text")]
        thinking: String,
    },
    #[serde(alias = "tool_use", alias = "tool_call")]
    ToolCall(ToolCall),
    Image(Image),
    #[serde(other)]
    Unknown,
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

impl Content {
    pub fn from_value(value: Value) -> Self {
        match value {
            Value::String(text) => Self(vec![Part::Text { text }]),
            Value::Array(parts) => Self(parts.into_iter().map(Part::from_value).collect()),
            _ => Self::default(),
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
        match value {
            Value::String(text) => Self::Text { text },
            value => serde_json::from_value(value).unwrap_or(Self::Unknown),
        }
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from_value)
    }
}

fn arguments_maybe_as_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        value => value,
    })
}
