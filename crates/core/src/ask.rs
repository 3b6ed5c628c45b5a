//! What an agent asks of the person: an approval or a question. Who may answer, and when, is the server's business.

use serde::{Deserialize, Serialize};

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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// How a question ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClosedBy {
    Answer,
    Declined,
    Expired,
    Stopped,
}
