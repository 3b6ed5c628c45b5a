//! The WebSocket connection to the server: connecting, reconnecting, matching responses to requests, and batching
//! incoming frames per animation frame. This module does not know what the frames mean and renders nothing.

pub mod access;
mod backoff;
mod connection;
mod frame_queue;
mod handler;
mod pending_requests;
mod socket;

pub use self::connection::Connection;
pub use self::handler::ConnectionState;
pub use self::handler::FrameHandler;
pub use self::pending_requests::OnDisconnect;
pub use self::pending_requests::Outcome;
pub use self::pending_requests::read_answer;
