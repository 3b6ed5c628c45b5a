//! What an agent asks of the person: an approval or a question. Who may answer, and when, is the server's business.

pub mod consent;

use serde::{Deserialize, Serialize};

use crate::json::{readable, readable_names};
use crate::render::visible_text::visible_string;
use consent::Consent;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    pub id: String,
    pub kind: AskKind,
    /// The agent wants to do something and waits for leave, as opposed to wanting to know something.
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

readable!(Ask {
    id "id", kind "kind", title "title";
    approval "approval", message "message", options "options", placeholder "placeholder", prefill "prefill",
    timeout_ms "timeout_ms",
});

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskKind {
    Select,
    Confirm,
    Input,
    Editor,
}

readable_names!(AskKind { "select" Select, "confirm" Confirm, "input" Input, "editor" Editor });

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

/// What the person said. Anything but an explicit answer is `Cancel`: silence never means yes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Choose(String),
    Confirm(bool),
    Text(String),
    Cancel,
}

impl Ask {
    /// Whether it asks for leave, as far as its kind and its options tell.
    pub fn asks_leave(&self) -> bool {
        match self.kind {
            AskKind::Confirm => true,
            AskKind::Select => consent::is_approval(&self.options),
            AskKind::Input | AskKind::Editor => false,
        }
    }

    /// Whether this answer is no leave. What cannot be told is an answer, and the agent's to understand.
    pub fn is_declined_by(&self, answer: &Answer) -> bool {
        match answer {
            Answer::Cancel | Answer::Confirm(false) => true,
            Answer::Choose(choice) if self.approval => {
                matches!(Consent::of(choice), Some(Consent::No | Consent::NoAndMore))
            }
            _ => false,
        }
    }

    /// What stays in the conversation of a question that was answered.
    pub fn closing_words(&self, answer: &Answer) -> String {
        let title = shown(&self.title);
        match answer {
            Answer::Confirm(true) if self.approval => format!("You approved: {title}"),
            Answer::Confirm(true) => format!("You said yes: {title}"),
            Answer::Confirm(false) | Answer::Cancel if self.approval => format!("You declined: {title}"),
            Answer::Confirm(false) => format!("You said no: {title}"),
            Answer::Cancel => format!("You did not answer: {title}"),
            Answer::Choose(choice) => format!("{title}\nYou chose: {}", shown(choice)),
            Answer::Text(text) if text.trim().is_empty() => format!("{title}\nYou answered with nothing."),
            Answer::Text(text) => format!("{title}\nYou answered: {}", shown(text)),
        }
    }

    /// What stays of a question that nobody answered in time.
    pub fn expired_words(&self) -> String {
        format!("Nobody answered in time: {}", shown(&self.title))
    }

    /// What stays of a question that ended with the agent's process.
    pub fn lost_words(&self) -> String {
        format!("Not answered, since the agent's process ended: {}", shown(&self.title))
    }

    /// An answer counts only if it is one this question offers.
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

/// Nothing is hidden in it; its lines stay lines.
fn shown(text: &str) -> String {
    text.trim().lines().map(visible_string).collect::<Vec<_>>().join("\n")
}

/// How a question ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClosedBy {
    Answer,
    Declined,
    Expired,
    Stopped,
}

readable_names!(ClosedBy { "answer" Answer, "declined" Declined, "expired" Expired, "stopped" Stopped });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_question_ended_is_told_with_nothing_hidden() {
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
        let approved = ask.closing_words(&Answer::Confirm(true));
        assert!(approved.starts_with("You approved: Run this?\nrm ") && !approved.contains('\u{202e}'));
        assert!(ask.closing_words(&Answer::Cancel).starts_with("You declined"));
        let question = Ask { approval: false, ..ask };
        assert!(question.closing_words(&Answer::Confirm(false)).starts_with("You said no"));
        assert!(question.closing_words(&Answer::Choose("red".into())).ends_with("You chose: red"));
        assert!(!question.is_declined_by(&Answer::Choose("Never".into())), "no leave was asked for");
        assert!(question.is_declined_by(&Answer::Cancel));
        let options = vec!["Allow".to_owned(), "Block".to_owned()];
        let choice = Ask { kind: AskKind::Select, approval: true, options, ..question.clone() };
        assert!(choice.asks_leave() && choice.is_declined_by(&Answer::Choose("Block".into())));
        assert!(!choice.is_declined_by(&Answer::Choose("Allow".into())));
        assert!(question.expired_words().contains("in time") && question.lost_words().contains("ended"));
    }
}
