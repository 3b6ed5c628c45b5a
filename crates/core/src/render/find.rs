//! Searches the rows of a conversation for a text, collapsed rows included. Only text that the page shows counts.

use serde_json::Value;

use crate::conversation::ui_message::{Kind, UiMessage};
use crate::render::failure::failure_text;
use crate::render::markdown::plain_text;

/// The text to find. Upper and lower case, and different kinds of white space, are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needle(String);

impl Needle {
    /// None if the query is blank.
    pub fn new(query: &str) -> Option<Self> {
        let query = query.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        (!query.is_empty()).then_some(Self(query))
    }

    /// Whether a row contains the text in anything that it can show.
    pub fn is_in(&self, row: &UiMessage) -> bool {
        let step = row.tool_step.as_ref();
        let bash = row.bash_result.as_ref();
        let in_text = match row.kind {
            Kind::Assistant | Kind::System => {
                self.may_be_in(&row.text) && self.matches(&plain_text(&row.text))
            }
            Kind::Error => self.matches(&failure_text(&row.text)),
            _ => self.matches(&row.text),
        };
        in_text
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

    /// Whether the source contains all words of the query. Checked first, because it is faster than parsing
    /// Markdown.
    fn may_be_in(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.0.split(|letter: char| !letter.is_alphanumeric()).all(|word| text.contains(word))
    }

    fn matches(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let spaced = || text.split_whitespace().collect::<Vec<_>>().join(" ");
        text.contains(&self.0) || (self.0.contains(' ') && spaced().contains(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::ui_message::{BashResult, ToolStep};

    #[test]
    fn text_is_found_in_every_part_of_a_row() {
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

    #[test]
    fn only_visible_text_is_found() {
        let said =
            |text: &str| UiMessage { kind: Kind::Assistant, text: text.into(), ..UiMessage::default() };
        let has = |query: &str, text: &str| Needle::new(query).unwrap().is_in(&said(text));
        assert!(has("very important thing", "a very **important** thing"));
        assert!(has("very important", "a very\nimportant thing"));
        assert!(has("one   two", "one\t two") && has("one two", "one    two"));
        assert!(has("call run()", "call `run()` then"));
        assert!(!has("example", "see [the notes](https://example.org)"));
        let typed = UiMessage { kind: Kind::User, text: "a **bold**\nword".into(), ..UiMessage::default() };
        assert!(
            Needle::new("**bold** word").unwrap().is_in(&typed),
            "prompts are shown without parsing Markdown"
        );
    }
}
