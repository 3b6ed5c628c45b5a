//! pi (`pi --mode rpc`), versions 0.73 and 1.x: one JSON object per line in both directions. `command` encodes requests,
//! `decode` decodes responses and events, `connection` keeps track of pending requests.

mod command;
mod connection;
mod decode;

pub use command::PiCommand;
pub use connection::Connection;
pub use decode::{Incoming, Response, decode};

use pilothouse_core::protocol::Capabilities;

/// The two generations of pi's protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Generation {
    #[default]
    Current,
    /// Before 1.0: no `agent_settled`, no `clear_queue`, no `--session-id`.
    BeforeOne,
}

impl Generation {
    /// The generation of a version as `pi --version` prints it.
    pub fn of_version(version: &str) -> Self {
        if version.starts_with("0.") { Self::BeforeOne } else { Self::Current }
    }
}

/// The capabilities known before a process runs; thinking levels and modes are reported by the process.
pub fn capabilities(generation: Generation) -> Capabilities {
    Capabilities {
        images: true,
        bash: true,
        steering: true,
        models: true,
        edit_queue: generation == Generation::Current,
        compact: true,
        fork: true,
        rename: true,
        commands: true,
        agent_queue: true,
        resume: true,
        ..Capabilities::default()
    }
}
