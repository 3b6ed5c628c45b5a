//! The frames between page and server: JSON text over one WebSocket, the same types on both sides.
//!
//! `command` is what pages send, `frame` what the server does; `snapshot` is all of a session, `answer` what a response
//! carries.

mod command;
pub mod event;
mod frame;
mod reply;
mod snapshot;

pub use command::{ClientFrame, Command, Cursor, QueueEdit};
pub use frame::{AgentInfo, ServerFrame, SessionSummary, Welcome};
pub use reply::{
    AgentCommand, DirectoryListing, Forked, FoundFiles, FoundRows, MessagesPage, Piece, SearchHit,
    SearchResults,
};
pub use snapshot::{AgentMode, Beside, Capabilities, RetryNote, Snapshot};

/// What the server says about a session it does not know. The page has better words for it.
pub const NO_SUCH_SESSION: &str = "There is no such session.";

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde wants it")]
fn is_false(value: &bool) -> bool {
    !value
}
