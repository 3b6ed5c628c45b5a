//! The one socket to the server: connecting, coming back, matching answers to questions, joining what arrives per
//! animation frame. It knows frames, never what they mean to a session, and it draws nothing.

pub mod access;
mod backoff;
mod connection;
mod frame_queue;
mod handler;
mod pending_requests;
mod socket;
mod wake;

pub use self::connection::Connection;
pub use self::handler::ConnectionState;
pub use self::handler::FrameHandler;
pub use self::pending_requests::OnDisconnect;
pub use self::pending_requests::Outcome;
pub use self::pending_requests::read_answer;
