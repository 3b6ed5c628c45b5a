//! The protocol between clients and the server: JSON text frames over one WebSocket, the same types on both sides.
//!
//! `command` holds the commands of clients, `reply` and `error` their results, `frame` the server's frames, `event` the
//! events of a session, `snapshot` its complete state, and `branches` the other branches of its file.

mod branches;
mod command;
mod error;
pub mod event;
mod frame;
mod reply;
mod snapshot;

pub use branches::{Branch, BranchPoint, Branches};
pub use command::{ClientFrame, Command, Cursor, HubCommand, InvalidFrame, QueueEdit, SessionCommand};
pub use error::{CommandError, ErrorCode};
pub use frame::{AgentInfo, AvailableAgent, ServerFrame, SessionSummary, Welcome};
pub use reply::{
    AgentCommand, AgentSession, AgentSessions, ApprovalEntry, ApprovalLog, BranchPage, DeviceInfo,
    DeviceList, DirectoryListing, Disposition, Forked, FoundFiles, FoundRow, FoundRows, HubReply,
    MessagesPage, PairingLink, PairingLinks, Piece, Prompted, RestoredQueue, SearchHit, SearchResults,
    SessionReply,
};
#[cfg(feature = "store")]
pub use snapshot::SessionMetaStoreFields;
pub use snapshot::{
    AgentMode, AgentOption, Capabilities, ExtensionWidget, ExternalProgram, Login, LoginKind, LoginMethod,
    OptionChoice, RetryNote, SessionMeta, Snapshot,
};

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde requires")]
fn is_false(value: &bool) -> bool {
    !value
}
