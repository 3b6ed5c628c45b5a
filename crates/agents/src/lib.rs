//! The boundary between Pilothouse and the agents it runs, without I/O: nothing here starts a process, opens a file,
//! reads a clock or awaits anything.
//!
//! A [`Connection`] is one conversation with an agent process. The server feeds it lines and typed [`Request`]s and
//! polls it for lines to write, [`AgentEvent`]s and exactly one [`Reply`] or [`AgentError`] per request. Each protocol
//! has a folder: `pi` and `acp`, the Agent Client Protocol. `framing` splits output into lines; `history` reads session files.

// Tests may read files and clocks; see clippy.toml.
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

pub mod acp;
mod connection;
mod event;
pub mod framing;
pub mod history;
pub mod pi;
mod request;

pub use connection::{Connection, Open, Output};
pub use event::{AgentEvent, Settings};
pub use request::{
    AgentError, ClearedQueue, ForkedSession, Reply, Request, RequestId, ShellOutcome, WantedSettings,
};
