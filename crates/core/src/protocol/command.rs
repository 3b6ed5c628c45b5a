//! Commands of clients.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::conversation::ask::auto_approve::AutoApprove;
use crate::conversation::ask::{Answer, Ask};
use crate::conversation::limit::{shorten, size};
use crate::conversation::queue::Lane;
use crate::conversation::ui_message::Image;
use crate::limits::{CLIENT_FRAME_BYTES, ID_BYTES, NAME_BYTES};

/// A frame from a client: `{id, type, session_id?, …}`. Every command but `hello` gets exactly one response.
///
/// Ids are unique across clients: a command that is resent with the same id gets the same reply.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClientFrame {
    pub id: String,
    #[serde(flatten)]
    pub command: Command,
}

/// A command for the hub or for one session.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Command {
    Hub(HubCommand),
    Session {
        session_id: String,
        #[serde(flatten)]
        command: SessionCommand,
    },
}

/// The last event of a session that a client has applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    pub session_id: String,
    /// Identifies one lifetime of the session's task; sequence numbers of another one are meaningless.
    pub epoch: String,
    pub seq: u64,
}

/// A command that needs no session's task: about the list of sessions, or about the server as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum HubCommand {
    /// The first frame of a connection, with the sessions that the client already holds. Answered by `welcome`.
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
    OpenSession {
        session_id: String,
    },
    CloseSession {
        session_id: String,
    },
    Pin {
        session_id: String,
        pinned: bool,
    },
    Archive {
        session_id: String,
        archived: bool,
    },
    /// Moves the session's file to the trash.
    DeleteSession {
        session_id: String,
    },
    /// The user has seen the session's latest state.
    MarkRead {
        session_id: String,
    },
    /// Stores the composer's text for the user's other devices.
    SetDraft {
        session_id: String,
        text: String,
    },
    ListDirectory {
        path: String,
    },
    /// Searches titles, messages and tool output of all sessions.
    Search {
        query: String,
    },
    /// Looks again for agents on the machine, and for those that had a problem.
    CheckAgents,
    /// Adds an agent that speaks the Agent Client Protocol. The command is split as a shell would, but no shell runs it.
    AddAgent {
        name: String,
        command: String,
    },
    /// Removes an agent that was added by `add_agent`. Its sessions are kept.
    RemoveAgent {
        name: String,
    },
    /// Lists the sessions that an agent knows and that are not listed here.
    ListAgentSessions {
        agent: String,
        #[serde(default)]
        cursor: Option<String>,
    },
    /// Continues a session that only its agent knows.
    ImportSession {
        agent: String,
        agent_session_id: String,
        cwd: String,
        #[serde(default)]
        title: String,
    },
    /// Returns the newest entries of the audit log.
    ListApprovals,
    /// The user has read this notice about the storage.
    DismissStorageNotice {
        notice: String,
    },
    ListDevices,
    RenameDevice {
        device_id: String,
        name: String,
    },
    /// Ends the device's access and closes its connections.
    RevokeDevice {
        device_id: String,
    },
    /// Creates a link that pairs another device, once.
    CreatePairingLink {
        /// The address of the page that asks, under which the other device may reach the server, too.
        address: String,
    },
}

/// A command for one session's task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SessionCommand {
    /// Returns rows before this index.
    GetMessages {
        before: usize,
        #[serde(default)]
        limit: Option<usize>,
    },
    /// Returns rows of another branch of the session's file: those before this index, else the newest. `leaf` is the
    /// entry with which the branch ends.
    GetBranch {
        leaf: String,
        #[serde(default)]
        before: Option<usize>,
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
    /// Stops the run and returns the scheduled messages.
    Abort,
    /// Returns the scheduled messages to the editor.
    ClearQueue,
    /// Returns what `abort` or `clear_queue` under this request id returned, for a client that lost the reply. If that
    /// is unknown, returns the stored draft.
    GivenBack {
        request: String,
    },
    /// Changes one scheduled message. `revision` is the one that the user saw.
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
        /// The hash of what was displayed to the user: see `Ask::shown`.
        #[serde(default)]
        shown: String,
    },
    /// Continues an interrupted or stopped session.
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
    /// Changes another setting that the agent offers.
    SetOption {
        option_id: String,
        value: String,
    },
    /// Decides which approvals are answered automatically. `remember` makes it the default of new sessions in this
    /// folder, or removes that default.
    SetAutoApprove {
        level: AutoApprove,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        remember: Option<bool>,
    },
    /// Makes the agent log in, by one of its methods.
    LogIn {
        method: String,
    },
    GetCommands,
    /// Summarizes the conversation to make room in the context window.
    Compact {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instructions: Option<String>,
    },
    /// Creates a session that ends before this row, which is a message of the user, or without a row with the last
    /// message.
    Fork {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        row: Option<usize>,
    },
    /// Creates a session with the conversation of another branch of the session's file.
    ForkBranch {
        leaf: String,
    },
    RenameSession {
        title: String,
    },
    /// Continues here although another program works in the session. It is not asked about again until it writes.
    TakeOver,
    /// Finds files and folders in the session's folder by letters of their paths.
    FindFiles {
        query: String,
    },
    /// Finds the rows that contain these words.
    FindRows {
        query: String,
    },
    /// Finds the row that shows this entry of the session file.
    FindRow {
        entry: String,
    },
}

/// One step of editing a scheduled message. A message under edit is not sent to the agent.
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

/// A frame that is not a command. `id` and `command` are for the response, and empty if they could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidFrame {
    pub id: String,
    pub command: String,
    pub message: String,
}

/// The fields of a frame that its response repeats.
#[derive(Default, Deserialize)]
#[serde(default)]
struct FrameHead {
    id: String,
    #[serde(rename = "type")]
    command: String,
}

impl ClientFrame {
    /// Explains that a frame is too large, without reading all of it into memory.
    pub fn too_large(text: &str) -> InvalidFrame {
        let FrameHead { mut id, mut command } = serde_json::from_str(text).unwrap_or_default();
        shorten(&mut id, ID_BYTES);
        shorten(&mut command, NAME_BYTES);
        InvalidFrame { id, command, message: Self::too_large_text(text.len()) }
    }

    /// The message about a frame with this many bytes.
    pub fn too_large_text(bytes: usize) -> String {
        let text = |bytes: usize| size(u64::try_from(bytes).unwrap_or(u64::MAX));
        let (bytes, limit) = (text(bytes), text(CLIENT_FRAME_BYTES));
        format!(
            "This is too large to be sent ({bytes}). The limit is {limit}. Shorten it, or send it in parts."
        )
    }

    /// Parses a frame as clients write it.
    pub fn parse(text: &str) -> Result<Self, InvalidFrame> {
        let value: Value = serde_json::from_str(text).map_err(|error| InvalidFrame {
            id: String::new(),
            command: String::new(),
            message: format!("A frame must be a JSON object: {error}"),
        })?;
        let field = |key: &str| {
            let mut text = value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            shorten(&mut text, ID_BYTES);
            text
        };
        let (id, name) = (field("id"), field("type"));
        if value.get("id").and_then(Value::as_str).is_some_and(|id| id.len() > ID_BYTES) {
            // A request could not be recognized by a part of its id.
            let message = format!("The id of the frame is too long. The limit is {ID_BYTES} bytes.");
            return Err(InvalidFrame { id, command: name, message });
        }
        let command = if HubCommand::NAMES.contains(&name.as_str()) {
            HubCommand::deserialize(&value).map(Command::Hub).map_err(|error| error.to_string())
        } else {
            SessionCommand::deserialize(&value).map_err(|error| error.to_string()).and_then(|command| {
                match field("session_id") {
                    session_id if session_id.is_empty() => Err("it needs a session_id".to_owned()),
                    session_id => Ok(Command::Session { session_id, command }),
                }
            })
        };
        match command {
            Ok(command) => Ok(Self { id, command }),
            Err(why) => Err(InvalidFrame {
                id,
                message: format!("The command '{name}' is invalid: {why}"),
                command: name,
            }),
        }
    }
}

impl Command {
    /// A command for this session.
    pub fn of_session(session_id: &str, command: SessionCommand) -> Self {
        Self::Session { session_id: session_id.to_owned(), command }
    }

    /// The session that the command is about.
    pub fn session_id(&self) -> Option<&str> {
        match self {
            Self::Hub(command) => command.session_id(),
            Self::Session { session_id, .. } => Some(session_id),
        }
    }

    /// The name that a response repeats.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Hub(command) => command.name(),
            Self::Session { command, .. } => command.name(),
        }
    }
}

impl From<HubCommand> for Command {
    fn from(command: HubCommand) -> Self {
        Self::Hub(command)
    }
}

impl HubCommand {
    const NAMES: [&str; 23] = [
        "hello",
        "list_sessions",
        "new_session",
        "open_session",
        "close_session",
        "pin",
        "archive",
        "delete_session",
        "mark_read",
        "set_draft",
        "list_directory",
        "search",
        "check_agents",
        "add_agent",
        "remove_agent",
        "list_agent_sessions",
        "import_session",
        "list_approvals",
        "dismiss_storage_notice",
        "list_devices",
        "rename_device",
        "revoke_device",
        "create_pairing_link",
    ];

    pub const fn name(&self) -> &'static str {
        let [
            hello,
            list_sessions,
            new_session,
            open_session,
            close_session,
            pin,
            archive,
            delete_session,
            mark_read,
            set_draft,
            list_directory,
            search,
            check_agents,
            add_agent,
            remove_agent,
            list_agent_sessions,
            import_session,
            list_approvals,
            dismiss_storage_notice,
            list_devices,
            rename_device,
            revoke_device,
            create_pairing_link,
        ] = Self::NAMES;
        match self {
            Self::Hello { .. } => hello,
            Self::ListSessions => list_sessions,
            Self::NewSession { .. } => new_session,
            Self::OpenSession { .. } => open_session,
            Self::CloseSession { .. } => close_session,
            Self::Pin { .. } => pin,
            Self::Archive { .. } => archive,
            Self::DeleteSession { .. } => delete_session,
            Self::MarkRead { .. } => mark_read,
            Self::SetDraft { .. } => set_draft,
            Self::ListDirectory { .. } => list_directory,
            Self::Search { .. } => search,
            Self::CheckAgents => check_agents,
            Self::AddAgent { .. } => add_agent,
            Self::RemoveAgent { .. } => remove_agent,
            Self::ListAgentSessions { .. } => list_agent_sessions,
            Self::ImportSession { .. } => import_session,
            Self::ListApprovals => list_approvals,
            Self::DismissStorageNotice { .. } => dismiss_storage_notice,
            Self::ListDevices => list_devices,
            Self::RenameDevice { .. } => rename_device,
            Self::RevokeDevice { .. } => revoke_device,
            Self::CreatePairingLink { .. } => create_pairing_link,
        }
    }

    fn session_id(&self) -> Option<&str> {
        match self {
            Self::OpenSession { session_id }
            | Self::CloseSession { session_id }
            | Self::Pin { session_id, .. }
            | Self::Archive { session_id, .. }
            | Self::DeleteSession { session_id }
            | Self::MarkRead { session_id }
            | Self::SetDraft { session_id, .. } => Some(session_id),
            Self::Hello { .. }
            | Self::ListSessions
            | Self::NewSession { .. }
            | Self::ListDirectory { .. }
            | Self::Search { .. }
            | Self::CheckAgents
            | Self::AddAgent { .. }
            | Self::RemoveAgent { .. }
            | Self::ListAgentSessions { .. }
            | Self::ImportSession { .. }
            | Self::ListApprovals
            | Self::DismissStorageNotice { .. }
            | Self::ListDevices
            | Self::RenameDevice { .. }
            | Self::RevokeDevice { .. }
            | Self::CreatePairingLink { .. } => None,
        }
    }
}

impl SessionCommand {
    /// The answer to an ask that is displayed.
    pub fn answer(ask: &Ask, answer: Answer) -> Self {
        Self::Answer { ask_id: ask.id.clone(), answer, shown: ask.shown.clone() }
    }

    pub const fn name(&self) -> &'static str {
        match self {
            Self::GetMessages { .. } => "get_messages",
            Self::GetBranch { .. } => "get_branch",
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
            Self::SetOption { .. } => "set_option",
            Self::SetAutoApprove { .. } => "set_auto_approve",
            Self::LogIn { .. } => "log_in",
            Self::GetCommands => "get_commands",
            Self::Compact { .. } => "compact",
            Self::Fork { .. } => "fork",
            Self::ForkBranch { .. } => "fork_branch",
            Self::RenameSession { .. } => "rename_session",
            Self::TakeOver => "take_over",
            Self::FindFiles { .. } => "find_files",
            Self::FindRow { .. } => "find_row",
            Self::FindRows { .. } => "find_rows",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn round_trip(command: Command) {
        let frame = ClientFrame { id: "7".to_owned(), command };
        let text = serde_json::to_string(&frame).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["type"], frame.command.name(), "{text}");
        assert_eq!(value.get("session_id").and_then(Value::as_str), frame.command.session_id(), "{text}");
        assert_eq!(ClientFrame::parse(&text), Ok(frame), "{text}");
    }

    #[test]
    fn commands_are_read_as_they_are_written() {
        let session_id = || "s".to_owned();
        let hub = [
            HubCommand::Hello { version: 1, sessions: Vec::new() },
            HubCommand::ListSessions,
            HubCommand::NewSession { agent: "demo".to_owned(), cwd: "/".to_owned() },
            HubCommand::OpenSession { session_id: session_id() },
            HubCommand::CloseSession { session_id: session_id() },
            HubCommand::Pin { session_id: session_id(), pinned: true },
            HubCommand::Archive { session_id: session_id(), archived: false },
            HubCommand::DeleteSession { session_id: session_id() },
            HubCommand::MarkRead { session_id: session_id() },
            HubCommand::SetDraft { session_id: session_id(), text: "half".to_owned() },
            HubCommand::ListDirectory { path: "~".to_owned() },
            HubCommand::Search { query: "words".to_owned() },
            HubCommand::CheckAgents,
            HubCommand::AddAgent { name: "x".to_owned(), command: "x acp".to_owned() },
            HubCommand::RemoveAgent { name: "x".to_owned() },
            HubCommand::ListAgentSessions { agent: "x".to_owned(), cursor: None },
            HubCommand::ImportSession {
                agent: "x".to_owned(),
                agent_session_id: "a".to_owned(),
                cwd: "/".to_owned(),
                title: String::new(),
            },
            HubCommand::ListApprovals,
            HubCommand::DismissStorageNotice { notice: "n".to_owned() },
            HubCommand::ListDevices,
            HubCommand::RenameDevice { device_id: "d".to_owned(), name: "Phone".to_owned() },
            HubCommand::RevokeDevice { device_id: "d".to_owned() },
            HubCommand::CreatePairingLink { address: "http://127.0.0.1:4780/".to_owned() },
        ];
        assert_eq!(hub.each_ref().map(HubCommand::name), HubCommand::NAMES);
        hub.into_iter().for_each(|command| round_trip(command.into()));
        let finish = QueueEdit::Finish { text: "new".to_owned(), images: Vec::new() };
        let session = [
            SessionCommand::GetMessages { before: 3, limit: None },
            SessionCommand::GetBranch { leaf: "e".to_owned(), before: Some(3), limit: None },
            SessionCommand::ForkBranch { leaf: "e".to_owned() },
            SessionCommand::Abort,
            SessionCommand::EditQueued { item_id: "i".to_owned(), revision: 2, edit: finish },
            SessionCommand::Answer {
                ask_id: "q".to_owned(),
                answer: Answer::Confirm(true),
                shown: "h".to_owned(),
            },
            SessionCommand::Compact { instructions: None },
            SessionCommand::SetOption { option_id: "o".to_owned(), value: "v".to_owned() },
            SessionCommand::SetAutoApprove { level: AutoApprove::Reading, remember: Some(true) },
            SessionCommand::LogIn { method: "m".to_owned() },
            SessionCommand::Answer {
                ask_id: "q".to_owned(),
                answer: Answer::Form([("n".to_owned(), json!(1))].into()),
                shown: String::new(),
            },
        ];
        session.into_iter().for_each(|command| round_trip(Command::of_session("s", command)));
    }

    #[test]
    fn an_invalid_frame_reports_the_id_and_the_command_that_could_be_read() {
        let invalid = |text: &str| ClientFrame::parse(text).unwrap_err();
        assert_eq!(invalid("no json").id, "");
        let unknown = invalid(&json!({"id": "1", "type": "fly", "session_id": "s"}).to_string());
        assert_eq!((unknown.id.as_str(), unknown.command.as_str()), ("1", "fly"));
        let without_session = invalid(&json!({"id": "2", "type": "abort"}).to_string());
        assert!(without_session.message.contains("needs a session_id"), "{}", without_session.message);
        let incomplete = invalid(&json!({"id": "3", "type": "pin", "session_id": "s"}).to_string());
        assert!(incomplete.message.contains("pinned"), "{}", incomplete.message);
    }
}
