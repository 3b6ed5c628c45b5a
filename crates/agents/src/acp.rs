//! The Agent Client Protocol (ACP), version 1: newline-delimited JSON-RPC 2.0, in which both sides send requests.
//!
//! - `rpc` encodes and decodes JSON-RPC messages.
//! - `connection` sends requests, matches responses and dispatches what the agent sends; `opening` decides how a session
//!   is opened, `turn` how a turn ended.
//! - `transcript` turns the updates of a turn into the messages and tool calls of a conversation.
//! - `call` merges the updates of one tool call, wherever an agent puts its output.
//! - `content` reads content blocks, also those that the protocol does not have.
//! - `asks` translates permission requests and forms, `settings` the agent's options, `login` its login methods.
//!
//! Updates are read with the types of `agent-client-protocol-schema`, which skip unreadable fields one by one. Updates
//! and requests of an unknown kind are kept as they are; nothing that an agent sends ends the connection.

mod asks;
mod call;
mod connection;
mod content;
mod login;
mod opening;
#[cfg(test)]
mod property_tests;
mod rpc;
mod settings;
mod transcript;
mod turn;

pub use connection::Connection;

use pilothouse_core::protocol::Capabilities;

/// The version of the protocol that Pilothouse speaks.
pub const PROTOCOL_VERSION: u64 = 1;

/// The capabilities known before a process runs. The agent reports the others when it starts.
pub fn capabilities() -> Capabilities {
    Capabilities {
        images: true,
        // The server runs shell commands, holds the queue and stores names for agents that do not.
        bash: true,
        steering: true,
        edit_queue: true,
        rename: true,
        ..Capabilities::default()
    }
}
