//! Writes as values, and how each one is carried out.

use pilothouse_core::conversation::ask::Ask;
use pilothouse_core::conversation::ask::auto_approve::AutoApprove;
use pilothouse_core::conversation::queue::Scheduled;
use pilothouse_core::protocol::Capabilities;
use rusqlite::Connection;

use super::{
    DeviceRecord, Extra, InFlightNote, PairingCode, Prompt, PromptOutcome, SessionRecord, agents, devices,
    extras, lists, notices, prompts, sessions,
};

/// A change of the store.
#[derive(Clone, Debug, PartialEq)]
pub enum Write {
    /// Adds a session created here, before it has a file. Replaces an earlier record.
    AddSession(SessionRecord),
    /// The session has a file now and exists as long as the file does.
    SessionHasFile {
        session: String,
    },
    /// Removes the session's record and everything stored for it.
    ForgetSession {
        session: String,
    },
    SetPinned {
        session: String,
        agent: String,
        cwd: String,
        pinned: bool,
    },
    SetArchived {
        session: String,
        agent: String,
        cwd: String,
        archived: bool,
    },
    /// The session was read at this time. An earlier time does not replace a later one.
    MarkRead {
        session: String,
        at: u64,
    },
    SetDraft {
        session: String,
        draft: String,
    },
    /// Which approvals are answered automatically.
    SetAutoApprove {
        session: String,
        agent: String,
        cwd: String,
        level: AutoApprove,
    },
    /// The default of new sessions in a folder.
    SetFolderAutoApprove {
        folder: String,
        level: AutoApprove,
    },
    /// Stores the capabilities that an agent reported.
    SetAgentCapabilities {
        agent: String,
        capabilities: Capabilities,
    },
    /// Stores a prompt. One that is unsettled and stored again (it was edited) replaces the earlier text.
    AcceptPrompt {
        session: String,
        prompt: Prompt,
    },
    /// Remembers the id of a command that must run only once.
    RememberId {
        session: String,
        client_id: String,
        at: u64,
    },
    /// The agent has reported the prompt as a message with this timestamp.
    PromptReported {
        session: String,
        client_id: String,
        timestamp: u64,
    },
    /// The reply that the client got.
    SetOutcome {
        session: String,
        client_id: String,
        outcome: PromptOutcome,
    },
    /// These prompts need no recovery: texts and images are dropped, ids and outcomes stay for a while.
    SettlePrompts {
        session: String,
        client_ids: Vec<String>,
    },
    /// The complete queue, images with their data.
    SaveQueue {
        session: String,
        items: Vec<Scheduled>,
    },
    /// All open questions.
    SaveAsks {
        session: String,
        asks: Vec<Ask>,
    },
    /// A row that is in no session file.
    AddExtra {
        session: String,
        extra: Extra,
    },
    /// The user has read what was to be known about the store.
    DismissNotices,
    /// Changes nothing, but writes to the disk, which shows whether writing works.
    Touch,
    /// Replaces the note of the message in progress. The writer creates most of these, from `note_in_flight`.
    SetInFlight {
        session: String,
        note: Option<InFlightNote>,
    },
    AddPairingCode(PairingCode),
    RemovePairingCode {
        hash: Vec<u8>,
    },
    AddDevice(DeviceRecord),
    RenameDevice {
        device: String,
        name: String,
    },
    RemoveDevice {
        device: String,
    },
    /// The device was used at this time. An earlier time does not replace a later one.
    DeviceUsed {
        device: String,
        at: u64,
    },
}

impl Write {
    pub(super) fn apply(&self, transaction: &Connection) -> rusqlite::Result<()> {
        match self {
            Self::AddSession(record) => sessions::add(transaction, record),
            Self::SessionHasFile { session } => sessions::set_has_file(transaction, session),
            Self::ForgetSession { session } => sessions::forget(transaction, session),
            Self::SetPinned { session, agent, cwd, pinned } => {
                sessions::set_pinned(transaction, (session, agent, cwd), *pinned)
            }
            Self::SetArchived { session, agent, cwd, archived } => {
                sessions::set_archived(transaction, (session, agent, cwd), *archived)
            }
            Self::MarkRead { session, at } => sessions::mark_read(transaction, session, *at),
            Self::SetDraft { session, draft } => sessions::set_draft(transaction, session, draft),
            Self::SetAutoApprove { session, agent, cwd, level } => {
                sessions::set_auto_approve(transaction, (session, agent, cwd), *level)
            }
            Self::SetFolderAutoApprove { folder, level } => {
                sessions::set_folder_auto_approve(transaction, folder, *level)
            }
            Self::SetAgentCapabilities { agent, capabilities } => {
                agents::set_capabilities(transaction, agent, capabilities)
            }
            Self::AcceptPrompt { session, prompt } => prompts::accept(transaction, session, prompt),
            Self::RememberId { session, client_id, at } => {
                prompts::remember_id(transaction, session, client_id, *at)
            }
            Self::PromptReported { session, client_id, timestamp } => {
                prompts::set_reported(transaction, session, client_id, *timestamp)
            }
            Self::SetOutcome { session, client_id, outcome } => {
                prompts::set_outcome(transaction, session, client_id, outcome)
            }
            Self::SettlePrompts { session, client_ids } => prompts::settle(transaction, session, client_ids),
            Self::SaveQueue { session, items } => lists::save_queue(transaction, session, items),
            Self::SaveAsks { session, asks } => lists::save_asks(transaction, session, asks),
            Self::AddExtra { session, extra } => extras::add(transaction, session, extra),
            Self::DismissNotices => notices::dismiss(transaction),
            Self::Touch => touch(transaction),
            Self::SetInFlight { session, note } => extras::set_in_flight(transaction, session, note.as_ref()),
            Self::AddPairingCode(code) => devices::add_code(transaction, code),
            Self::RemovePairingCode { hash } => devices::remove_code(transaction, hash),
            Self::AddDevice(device) => devices::add(transaction, device),
            Self::RenameDevice { device, name } => devices::rename(transaction, device, name),
            Self::RemoveDevice { device } => devices::remove(transaction, device),
            Self::DeviceUsed { device, at } => devices::set_last_used(transaction, device, *at),
        }
    }
}

/// Writes the version of the tables again: unlike a statement that changes no row, it writes a page.
fn touch(transaction: &Connection) -> rusqlite::Result<()> {
    let version: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    transaction.pragma_update(None, "user_version", version)
}
