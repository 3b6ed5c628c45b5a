//! The frames between page and server: JSON text over one WebSocket, the same types on both sides.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ask::{Answer, Ask};
use crate::controller::Fold;
use crate::event::{ContextUsage, Event, ModelInfo};
use crate::fields::Fields;
use crate::machine::SessionState;
use crate::queue::{Lane, Queue};
use crate::ui_message::{Image, Kind, UiMessage};

/// What a page sends: `{id, type, session_id?, …}`. Every command but `hello` gets exactly one response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClientFrame {
    #[serde(default)]
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    #[serde(flatten)]
    pub command: Command,
}

/// The last event of a session that a page has applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    pub session_id: String,
    /// Names this life of the session on the server: sequence numbers of another life mean nothing.
    pub epoch: String,
    pub seq: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Command {
    /// The first frame of a connection: what the page already has. Answered by `welcome`.
    Hello {
        version: u32,
        #[serde(default)]
        sessions: Vec<Cursor>,
    },
    ListSessions,
    NewSession {
        agent: String,
        cwd: String,
    },
    /// Sends a snapshot, then every event after it.
    OpenSession,
    CloseSession,
    /// Rows before this index.
    GetMessages {
        before: usize,
        #[serde(default)]
        limit: Option<usize>,
    },
    Prompt {
        client_id: String,
        message: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
        #[serde(default, rename = "streamingBehavior")]
        streaming_behavior: Lane,
    },
    Abort,
    ClearQueue,
    /// Changes one scheduled message. `revision` is the one the person saw.
    EditQueued {
        item_id: String,
        revision: u32,
        edit: QueueEdit,
    },
    RemoveQueued {
        item_id: String,
        revision: u32,
    },
    Bash {
        client_id: String,
        command: String,
        #[serde(default, rename = "excludeFromContext")]
        exclude_from_context: bool,
    },
    AbortBash,
    Answer {
        ask_id: String,
        answer: Answer,
    },
    /// Takes up an interrupted or stopped session.
    ResumeSession,
    /// Sends the last user message again after a failure.
    Retry,
    GetAvailableModels,
    SetModel {
        provider: String,
        model_id: String,
    },
    SetThinkingLevel {
        level: String,
    },
    GetCommands,
    GetState,
    GetContextUsage,
    /// Summarises what was said so far, so that the model has room again.
    Compact {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instructions: Option<String>,
    },
    /// A new session that ends before this row, which is one of the person's. Answered with its id and the row's text.
    Fork {
        row: usize,
    },
    RenameSession {
        title: String,
    },
    Pin {
        pinned: bool,
    },
    Archive {
        archived: bool,
    },
    /// To the trash: its file is moved, not destroyed.
    DeleteSession,
    /// The person has seen how it stands.
    MarkRead,
    /// What stands in the composer, for the person's other devices.
    SetDraft {
        text: String,
    },
    /// The person wants to go on here with a session that another program writes.
    TakeOver,
    ListDirectory {
        path: String,
    },
    /// Words in titles, messages and tool output of all sessions.
    Search {
        query: String,
    },
    /// The row that shows this entry of the agent's own record.
    FindRow {
        entry: String,
    },
}

/// One step of changing a scheduled message. While it is under edit it is not sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueEdit {
    Begin,
    Cancel,
    Finish {
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
    },
}

impl Command {
    /// The name a response repeats.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Hello { .. } => "hello",
            Self::ListSessions => "list_sessions",
            Self::NewSession { .. } => "new_session",
            Self::OpenSession => "open_session",
            Self::CloseSession => "close_session",
            Self::GetMessages { .. } => "get_messages",
            Self::Prompt { .. } => "prompt",
            Self::Abort => "abort",
            Self::ClearQueue => "clear_queue",
            Self::EditQueued { .. } => "edit_queued",
            Self::RemoveQueued { .. } => "remove_queued",
            Self::Bash { .. } => "bash",
            Self::AbortBash => "abort_bash",
            Self::Answer { .. } => "answer",
            Self::ResumeSession => "resume_session",
            Self::Retry => "retry",
            Self::GetAvailableModels => "get_available_models",
            Self::SetModel { .. } => "set_model",
            Self::SetThinkingLevel { .. } => "set_thinking_level",
            Self::GetCommands => "get_commands",
            Self::GetState => "get_state",
            Self::GetContextUsage => "get_context_usage",
            Self::Compact { .. } => "compact",
            Self::Fork { .. } => "fork",
            Self::RenameSession { .. } => "rename_session",
            Self::Pin { .. } => "pin",
            Self::Archive { .. } => "archive",
            Self::DeleteSession => "delete_session",
            Self::MarkRead => "mark_read",
            Self::SetDraft { .. } => "set_draft",
            Self::TakeOver => "take_over",
            Self::ListDirectory { .. } => "list_directory",
            Self::Search { .. } => "search",
            Self::FindRow { .. } => "find_row",
        }
    }
}

/// What the server sends.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerFrame {
    Welcome(Welcome),
    Response {
        id: String,
        command: String,
        success: bool,
        #[serde(skip_serializing_if = "Value::is_null")]
        data: Value,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// `seq` counts without gaps per session.
    Event {
        session_id: String,
        seq: u64,
        event: Event,
    },
    /// Replaces everything the page has of that session.
    Snapshot(Box<Snapshot>),
    /// What is known of the agents on offer.
    AgentsChanged {
        agents: Vec<AgentInfo>,
    },
    /// The list of sessions changed in these places.
    SessionsChanged {
        changed: Vec<SessionSummary>,
        removed: Vec<String>,
    },
}

impl ServerFrame {
    /// Reads a frame as the server writes it; None if it is none this version knows.
    pub fn parse(text: &str) -> Option<Self> {
        let mut fields = Fields::of(serde_json::from_str(text).ok()?)?;
        Some(match fields.text("type").as_str() {
            "welcome" => Self::Welcome(fields.rest()?),
            "response" => Self::Response {
                id: fields.text("id"),
                command: fields.text("command"),
                success: fields.flag("success"),
                data: fields.value("data"),
                error: fields.optional_text("error"),
            },
            "event" => Self::Event {
                session_id: fields.text("session_id"),
                seq: fields.number("seq"),
                event: Event::from_fields(fields.object("event")),
            },
            "snapshot" => Self::Snapshot(fields.rest()?),
            "agents_changed" => Self::AgentsChanged { agents: fields.part("agents")? },
            "sessions_changed" => {
                Self::SessionsChanged { changed: fields.part("changed")?, removed: fields.texts("removed") }
            }
            _ => return None,
        })
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Welcome {
    pub version: u32,
    pub server_version: String,
    pub agents: Vec<AgentInfo>,
    /// Where a new session starts unless the person picks another folder.
    pub default_cwd: String,
    pub sessions: Vec<SessionSummary>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentInfo {
    pub name: String,
    pub dialect: String,
    /// As it tells itself, once it has been asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The built-in guide, as opposed to an agent with a model behind it.
    #[serde(default)]
    pub demo: bool,
    /// Why it cannot be used now, in words for the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// One row of the sidebar.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionSummary {
    pub id: String,
    pub agent: String,
    pub cwd: String,
    pub title: String,
    pub state: SessionState,
    /// Why it is in that state, where that needs words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Milliseconds since 1970.
    pub modified: u64,
    #[serde(default, skip_serializing_if = "is_false")]
    pub pinned: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub archived: bool,
    /// It has come to rest since the person last looked at it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unread: bool,
    /// Another program is writing it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub elsewhere: bool,
    /// What it waits for: the tray answers these in place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<Ask>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde wants it")]
fn is_false(value: &bool) -> bool {
    !value
}

/// A line that an extension keeps, under its key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beside {
    pub key: String,
    pub lines: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    pub session_id: String,
    pub epoch: String,
    pub seq: u64,
    pub agent: String,
    pub cwd: String,
    pub title: String,
    /// How many rows there are; `messages` are the last of them, from index `first` on.
    pub total: usize,
    pub first: usize,
    pub messages: Vec<UiMessage>,
    /// Where the reducer stands, so that the page's goes on from there.
    pub streaming: Fold,
    pub state: SessionState,
    #[serde(default)]
    pub reason: String,
    #[serde(default)]
    pub queue: Queue,
    #[serde(default)]
    pub asks: Vec<Ask>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_usage: Option<ContextUsage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelInfo>,
    #[serde(default)]
    pub thinking_level: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryNote>,
    #[serde(default)]
    pub compacting: bool,
    #[serde(default)]
    pub capabilities: Capabilities,
    /// Another program is writing this session.
    #[serde(default, skip_serializing_if = "is_false")]
    pub elsewhere: bool,
    /// What stood in the composer of the device that wrote there last.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub draft: String,
    /// What extensions show: lines of state, and boxes beside the composer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statuses: Vec<Beside>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub widgets: Vec<Beside>,
    /// What the agent adds to the window's title.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub window_title: String,
}

/// A failed request is being repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetryNote {
    pub attempt: u32,
    pub max_attempts: u32,
    pub delay_ms: u64,
    pub error_message: String,
}

impl RetryNote {
    pub fn words(&self) -> String {
        format!("Retry {}/{} in {} s", self.attempt, self.max_attempts, self.delay_ms.div_ceil(1_000))
    }
}

/// What the agent behind a session can do; the page offers nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Capabilities {
    pub images: bool,
    pub bash: bool,
    pub steering: bool,
    pub models: bool,
    pub thinking_levels: Vec<String>,
    /// Scheduled messages can be changed and taken away.
    pub edit_queue: bool,
    pub compact: bool,
    pub fork: bool,
    pub rename: bool,
    /// It has commands, skills or templates of its own.
    pub commands: bool,
}

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
