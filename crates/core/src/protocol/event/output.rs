//! Results of tools.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::conversation::limit;
use crate::conversation::message::{Content, Part};
use crate::conversation::ui_message::{Image, is_zero};
use crate::json::FromJson;

/// The result of a tool, whatever shape the agent gives it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, FromJson)]
pub struct ToolOutput {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// The bytes of the text that are left out because it is too long.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
}

impl ToolOutput {
    /// Reads a result: a string is its text, parts are joined, `{content, details}` is unpacked, anything else is shown as
    /// JSON.
    pub fn from_value(value: Value) -> Self {
        match value {
            Value::Null => Self::default(),
            Value::String(text) => Self { text, ..Self::default() },
            Value::Array(_) => Self::from_whole_content(Content::from_value(value), None),
            Value::Object(mut object) if object.contains_key("content") => {
                let details = object.remove("details").filter(|details| !is_blank(details));
                let content = Content::from_value(object.remove("content").unwrap_or_default());
                Self::from_whole_content(content, details)
            }
            other => Self { text: other.to_string(), ..Self::default() },
        }
    }

    /// As a message with this content is read.
    fn from_whole_content(mut content: Content, details: Option<Value>) -> Self {
        limit::cut_content(&mut content, false);
        Self::from_content(&content, details)
    }

    /// Joins the parts. If no part has a known type, they are shown as JSON.
    pub fn from_content(content: &Content, details: Option<Value>) -> Self {
        let (text, images) = (content.text(), content.images());
        let unknown = content.0.iter().filter_map(|part| match part {
            Part::Unknown(value) if !value.is_null() => Some(value.to_string()),
            _ => None,
        });
        Self {
            text: if text.is_empty() && images.is_empty() {
                unknown.collect::<Vec<_>>().join("\n")
            } else {
                text
            },
            images,
            left_out: content.left_out(),
            details: details.filter(|details| !is_blank(details)),
        }
    }
}

fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty)
}
