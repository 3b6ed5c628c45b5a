//! An agent's request to the user: an approval or a question. The server decides who may answer, and when.

pub mod consent;

use serde::{Deserialize, Serialize};

use crate::json::FromJson;
use crate::render::visible_text::visible_string;
use consent::Consent;

/// An open question or approval request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromJson)]
pub struct Ask {
    pub id: String,
    pub kind: AskKind,
    /// The agent waits for permission to act, as opposed to information.
    #[serde(default)]
    pub approval: bool,
    pub title: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub placeholder: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefill: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// The form in which the user answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(rename_all = "snake_case")]
pub enum AskKind {
    Select,
    Confirm,
    Input,
    Editor,
}

impl AskKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Select => "select",
            Self::Confirm => "confirm",
            Self::Input => "input",
            Self::Editor => "editor",
        }
    }
}

/// The user's answer. Everything but an explicit answer is `Cancel`, which never counts as approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Choose(String),
    Confirm(bool),
    Text(String),
    Cancel,
}

impl Ask {
    /// Whether this is an approval request, judging by the kind and the wording of the options.
    pub fn is_approval_request(&self) -> bool {
        match self.kind {
            AskKind::Confirm => true,
            AskKind::Select => consent::offers_yes_and_no(&self.options),
            AskKind::Input | AskKind::Editor => false,
        }
    }

    /// Whether this answer declines the request. A choice with unclear wording does not: the agent interprets it.
    pub fn is_declined_by(&self, answer: &Answer) -> bool {
        match answer {
            Answer::Cancel | Answer::Confirm(false) => true,
            Answer::Choose(choice) if self.approval => {
                matches!(Consent::of(choice), Some(Consent::No | Consent::BroadNo))
            }
            _ => false,
        }
    }

    /// The text of the row that records the answer.
    pub fn answered_text(&self, answer: &Answer) -> String {
        let title = visible_lines(&self.title);
        match answer {
            Answer::Confirm(true) if self.approval => format!("You approved: {title}"),
            Answer::Confirm(true) => format!("You said yes: {title}"),
            Answer::Confirm(false) | Answer::Cancel if self.approval => format!("You rejected: {title}"),
            Answer::Confirm(false) => format!("You said no: {title}"),
            Answer::Cancel => format!("You didn't answer: {title}"),
            Answer::Choose(choice) => format!("{title}\nYou chose: {}", visible_lines(choice)),
            Answer::Text(text) if text.trim().is_empty() => format!("{title}\nYou sent an empty answer."),
            Answer::Text(text) => format!("{title}\nYou answered: {}", visible_lines(text)),
        }
    }

    /// The text of the row for a request that expired without an answer.
    pub fn expired_text(&self) -> String {
        format!("Expired without an answer: {}", visible_lines(&self.title))
    }

    /// The text of the row for a request whose agent process ended.
    pub fn process_ended_text(&self) -> String {
        format!("Not answered because the agent exited: {}", visible_lines(&self.title))
    }

    /// Whether the answer has the form that this request asks for.
    pub fn accepts(&self, answer: &Answer) -> bool {
        match (self.kind, answer) {
            (_, Answer::Cancel)
            | (AskKind::Confirm, Answer::Confirm(_))
            | (AskKind::Input | AskKind::Editor, Answer::Text(_)) => true,
            (AskKind::Select, Answer::Choose(choice)) => self.options.contains(choice),
            _ => false,
        }
    }
}

/// The text with hidden characters made visible, keeping its line breaks.
fn visible_lines(text: &str) -> String {
    text.trim().lines().map(visible_string).collect::<Vec<_>>().join("\n")
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(rename_all = "snake_case")]
pub enum ClosedBy {
    Answer,
    Declined,
    Expired,
    Stopped,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recorded_outcome_shows_hidden_characters() {
        let ask = Ask {
            id: "q".into(),
            kind: AskKind::Confirm,
            approval: true,
            title: "Run this?\nrm \u{202e}x".into(),
            message: String::new(),
            options: Vec::new(),
            placeholder: String::new(),
            prefill: String::new(),
            timeout_ms: None,
        };
        let approved = ask.answered_text(&Answer::Confirm(true));
        assert!(approved.starts_with("You approved: Run this?\nrm ") && !approved.contains('\u{202e}'));
        assert!(ask.answered_text(&Answer::Cancel).starts_with("You rejected"));
        let question = Ask { approval: false, ..ask };
        assert!(question.answered_text(&Answer::Confirm(false)).starts_with("You said no"));
        assert!(question.answered_text(&Answer::Choose("red".into())).ends_with("You chose: red"));
        assert!(!question.is_declined_by(&Answer::Choose("Never".into())), "not an approval request");
        assert!(question.is_declined_by(&Answer::Cancel));
        let options = vec!["Allow".to_owned(), "Block".to_owned()];
        let choice = Ask { kind: AskKind::Select, approval: true, options, ..question.clone() };
        assert!(choice.is_approval_request() && choice.is_declined_by(&Answer::Choose("Block".into())));
        assert!(!choice.is_declined_by(&Answer::Choose("Allow".into())));
        assert!(question.expired_text().starts_with("Expired"));
        assert!(question.process_ended_text().contains("exited"));
    }
}
