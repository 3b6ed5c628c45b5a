//! Words in a conversation: which rows have them, closed ones included.

use serde_json::Value;

use crate::ui_message::UiMessage;

/// What is looked for; capitals make no difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needle(String);

impl Needle {
    /// None if there is nothing to look for.
    pub fn new(query: &str) -> Option<Self> {
        let query = query.trim().to_lowercase();
        (!query.is_empty()).then_some(Self(query))
    }

    /// Whether a row has it, in anything it can show.
    pub fn is_in(&self, row: &UiMessage) -> bool {
        let step = row.tool_step.as_ref();
        let bash = row.bash_result.as_ref();
        self.matches(&row.text)
            || step.is_some_and(|step| {
                self.matches(&step.tool_name)
                    || self.is_in_value(&step.tool_args)
                    || step.result.as_deref().is_some_and(|result| self.matches(result))
            })
            || bash.is_some_and(|bash| self.matches(&bash.command) || self.matches(&bash.output))
    }

    fn is_in_value(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.matches(text),
            Value::Array(items) => items.iter().any(|item| self.is_in_value(item)),
            Value::Object(fields) => fields.values().any(|field| self.is_in_value(field)),
            _ => false,
        }
    }

    fn matches(&self, text: &str) -> bool {
        text.to_lowercase().contains(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui_message::{BashResult, ToolStep};

    #[test]
    fn words_are_found_wherever_a_row_has_them() {
        let needle = Needle::new("  HARbour ").unwrap();
        let said = UiMessage { text: "In the Harbour".into(), ..UiMessage::default() };
        let tool_args = serde_json::json!({"edits": [{"new": "a harbour wall"}]});
        let edited = UiMessage {
            tool_step: Some(ToolStep { tool_args, ..ToolStep::default() }),
            ..UiMessage::default()
        };
        let ran = UiMessage {
            bash_result: Some(BashResult { output: "harbour.txt".into(), ..BashResult::default() }),
            ..UiMessage::default()
        };
        assert!([said, edited, ran].iter().all(|row| needle.is_in(row)));
        assert!(!needle.is_in(&UiMessage { text: "the sea".into(), ..UiMessage::default() }));
        assert_eq!(Needle::new("  "), None);
    }
}
