//! The interface through which the connection reports to the rest of the page.

use pilothouse_core::protocol::{Cursor, ServerFrame, Welcome};

use super::access::Access;
use super::pending_requests::Outcome;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConnectionState {
    #[default]
    Connecting,
    Open,
    Lost,
}

impl ConnectionState {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Connecting => "connecting",
            Self::Open => "open",
            Self::Lost => "lost",
        }
    }
}

/// Receives frames and connection events, in the order in which they arrive.
pub trait FrameHandler {
    /// The state of each open session, which the hello of a new connection reports to the server.
    fn cursors(&self) -> Vec<Cursor>;
    fn connection(&self, connection: ConnectionState);
    /// The hello was sent: requests can be sent from now on.
    fn greeted(&self);
    fn welcome(&self, welcome: Welcome);
    fn frame(&self, frame: ServerFrame);
    /// Called after all frames of a batch have been handed over.
    fn batch_applied(&self);
    /// The response to a probe, which is the list of sessions.
    fn probed(&self, outcome: Outcome);
    /// A second response to the same request arrived and was ignored.
    fn duplicate_response(&self, session_id: Option<&str>, command: &str);
    /// The server no longer gives this browser access.
    fn access_lost(&self, access: Access);
    /// The server speaks another protocol version.
    fn outdated(&self);
}
