//! Replies to commands: the `data` of a response.

use serde::{Deserialize, Serialize};

use super::event::ModelInfo;
use super::{Branches, SessionSummary, is_false};
use crate::conversation::queue::Scheduled;
use crate::conversation::ui_message::{Kind, UiMessage};
use crate::json::FromJson;

/// The reply to a [`HubCommand`](super::HubCommand).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum HubReply {
    Done {},
    Sessions { sessions: Vec<SessionSummary> },
    Created { session_id: String },
    Directory(DirectoryListing),
    SearchResults(SearchResults),
    AgentSessions(AgentSessions),
    Approvals(ApprovalLog),
    Devices(DeviceList),
    PairingLinks(PairingLinks),
}

/// The reply to a [`SessionCommand`](super::SessionCommand).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SessionReply {
    Done,
    Prompted(Prompted),
    Restored(RestoredQueue),
    Draft { draft: String },
    Edited { revision: u32 },
    Messages(MessagesPage),
    Branch(BranchPage),
    Row(FoundRow),
    Rows(FoundRows),
    Files(FoundFiles),
    Models { models: Vec<ModelInfo> },
    Commands { commands: Vec<AgentCommand> },
    Forked(Forked),
}

/// The reply to an accepted prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct Prompted {
    pub disposition: Disposition,
}

/// The fate of an accepted prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(rename_all = "snake_case")]
pub enum Disposition {
    /// It started a run.
    Started,
    /// It is scheduled.
    Queued,
    /// It was a command of the agent: there is no run and no message.
    Handled,
    /// It never reached the agent; resuming the session sends it.
    Unsent,
}

/// The scheduled messages that were returned to the editor, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct RestoredQueue {
    pub restored: Vec<Scheduled>,
}

/// A page of rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromJson)]
pub struct MessagesPage {
    pub first: usize,
    pub total: usize,
    pub messages: Vec<UiMessage>,
}

/// A page of rows of another branch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, FromJson)]
pub struct BranchPage {
    pub first: usize,
    pub total: usize,
    pub messages: Vec<UiMessage>,
    /// The branches besides this one. Only with the newest rows.
    #[serde(default, skip_serializing_if = "Branches::is_empty")]
    pub branches: Branches,
    /// The conversation that the session continues contains all of the branch.
    #[serde(default, skip_serializing_if = "is_false")]
    pub current: bool,
}

/// The row that shows an entry of the session's file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct FoundRow {
    pub row: usize,
    /// The last entry of the branch that has the row, if that is not the one that the session continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

/// Sessions that only an agent knows, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct AgentSessions {
    pub sessions: Vec<AgentSession>,
    /// Lists further sessions, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct AgentSession {
    /// The agent's id of the session.
    pub id: String,
    pub cwd: String,
    #[serde(default)]
    pub title: String,
    /// Milliseconds since 1970, if the agent reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<u64>,
}

/// The newest entries of the audit log, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct ApprovalLog {
    pub entries: Vec<ApprovalEntry>,
    /// The file with all entries.
    pub file: String,
}

/// An answer to an approval.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct ApprovalEntry {
    /// Milliseconds since 1970.
    pub at: u64,
    /// The name of the device that answered, or why it was answered automatically.
    pub device: String,
    /// Empty if it was answered automatically.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub device_id: String,
    pub session: String,
    pub answer: String,
    /// The answer lets the agent act.
    pub approved: bool,
    /// The SHA-256 hash of what was displayed, and its text, shortened if it is long.
    pub hash: String,
    pub shown: String,
}

/// The browsers that have access, the one used last first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct DeviceList {
    pub devices: Vec<DeviceInfo>,
}

/// A browser that has access. Times are milliseconds since 1970.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct DeviceInfo {
    pub id: String,
    pub name: String,
    /// The origin of the page that was paired.
    pub origin: String,
    pub created: u64,
    pub last_used: u64,
    /// The device that asks.
    #[serde(default)]
    pub current: bool,
    #[serde(default)]
    pub connected: bool,
}

/// A link that pairs one device, under each address that may lead to the server; the most useful one first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct PairingLinks {
    pub links: Vec<PairingLink>,
    /// Milliseconds since 1970.
    pub expires: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct PairingLink {
    pub link: String,
    /// The QR code of the link, as a `data:` URL.
    pub qr: String,
    /// The link works only on the machine of the server.
    #[serde(default)]
    pub local: bool,
}

/// One folder, for the folder picker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct DirectoryListing {
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    pub folders: Vec<String>,
    #[serde(default)]
    pub truncated: bool,
    /// The allowed folder that contains this one.
    #[serde(default)]
    pub root: String,
    /// The other allowed folders, if this is one itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roots: Vec<String>,
}

/// A command of the agent, for the `/` menu.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct AgentCommand {
    pub name: String,
    #[serde(default)]
    pub description: String,
    /// Its source: `extension`, `prompt` (a template) or `skill`.
    #[serde(default)]
    pub source: String,
}

/// The reply to a fork.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct Forked {
    pub session_id: String,
    /// The text of the row that the fork was made from, for the editor.
    pub text: String,
}

/// Paths below the session's folder, best match first; folders end in a slash.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct FoundFiles {
    pub paths: Vec<String>,
}

/// The indices of the rows that contain the words, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct FoundRows {
    pub rows: Vec<usize>,
}

/// Search results, best first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, FromJson)]
pub struct SearchResults {
    pub hits: Vec<SearchHit>,
    /// There are more hits than listed.
    #[serde(default)]
    pub more: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromJson)]
pub struct SearchHit {
    pub session_id: String,
    /// The id of the session file's entry; none for a title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    pub kind: Kind,
    pub snippet: Vec<Piece>,
}

/// A piece of a snippet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, FromJson)]
pub struct Piece {
    pub text: String,
    #[serde(default, skip_serializing_if = "is_false")]
    pub found: bool,
}
