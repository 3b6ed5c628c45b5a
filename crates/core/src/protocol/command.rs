//! What pages ask for.

use serde::{Deserialize, Serialize};

use crate::conversation::ask::Answer;
use crate::conversation::queue::Lane;
use crate::conversation::ui_message::Image;

/// What a page sends: `{id, type, session_id?, …}`. Every command but `hello` gets exactly one response. No two pages
/// use the same id: what was given back under one is given again to whoever asks again under it.
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
    /// What was given back under this request, whose answer may have got lost; else what stands in the draft.
    GivenBack {
        request: String,
    },
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
    SetMode {
        mode: String,
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
    /// Files and folders of the session's folder whose paths fit these letters.
    FindFiles {
        query: String,
    },
    /// The rows of one session that have these words, open or closed.
    FindRows {
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
            Self::GivenBack { .. } => "given_back",
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
            Self::SetMode { .. } => "set_mode",
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
            Self::FindFiles { .. } => "find_files",
            Self::FindRow { .. } => "find_row",
            Self::FindRows { .. } => "find_rows",
        }
    }
}
