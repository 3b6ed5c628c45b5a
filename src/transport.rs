//! The one socket to the server: connecting, coming back, matching answers to questions, joining what arrives per
//! animation frame. It knows frames, never what they mean to a session, and it draws nothing.

pub mod backoff;
pub mod inbox;
pub mod link;
pub mod outbox;
pub mod receiver;
mod socket;
mod watch;

pub use link::Link;
pub use outbox::{Keep, Outcome, read_answer};
pub use receiver::{Connection, Receiver};
