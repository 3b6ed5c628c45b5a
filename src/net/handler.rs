//! What the link tells the rest of the page. Who listens, and what it makes of it, is not known here.

use pilothouse_core::protocol::{Cursor, ServerFrame, Welcome};

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

/// Who gets what arrives, in order.
pub trait FrameHandler {
    /// What the page already has, for the hello of a new connection.
    fn cursors(&self) -> Vec<Cursor>;
    fn connection(&self, connection: ConnectionState);
    fn welcome(&self, welcome: Welcome);
    fn frame(&self, frame: ServerFrame);
    /// Everything of this animation frame has been handed over.
    fn settled(&self);
    /// The list of sessions, from a probe.
    fn probed(&self, outcome: Outcome);
    /// A command that had its answer got another one, which was left alone.
    fn answered_again(&self, session_id: Option<&str>, command: &str);
    fn access_lost(&self);
    /// The server speaks another version of the protocol.
    fn outdated(&self);
}
