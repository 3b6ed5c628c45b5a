//! What a response carries, for commands that ask for something.

use serde::{Deserialize, Serialize};

use super::is_false;
use crate::conversation::ui_message::{Kind, UiMessage};

/// A page of older rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MessagesPage {
    pub first: usize,
    pub total: usize,
    pub messages: Vec<UiMessage>,
}

/// One folder, for the folder picker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectoryListing {
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    pub folders: Vec<String>,
    #[serde(default)]
    pub truncated: bool,
}

/// A command of the agent's own, for the `/` menu.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentCommand {
    pub name: String,
    #[serde(default)]
    pub description: String,
    /// Where it comes from: `extension`, `prompt` (a template), `skill`.
    #[serde(default)]
    pub source: String,
}

/// The answer to a fork.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forked {
    pub session_id: String,
    /// The text of the row it was made from, for the editor.
    pub text: String,
}

/// Paths below the session's folder, best first; folders end in a slash.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundFiles {
    pub paths: Vec<String>,
}

/// The rows that have certain words, by their place in the conversation, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundRows {
    pub rows: Vec<usize>,
}

/// What a search found, best first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchResults {
    pub hits: Vec<SearchHit>,
    /// There was more than is told.
    #[serde(default)]
    pub more: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchHit {
    pub session_id: String,
    /// The entry of the agent's own record; none for a title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    pub kind: Kind,
    pub snippet: Vec<Piece>,
}

/// A piece of a snippet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    pub text: String,
    #[serde(default, skip_serializing_if = "is_false")]
    pub found: bool,
}
