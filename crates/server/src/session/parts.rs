//! The parts of a session. Each owns its fields, has tests that need no process and no socket, and returns effects or
//! plain values; the loop in `session.rs` acts on them.

pub(super) mod agent_connection;
pub(super) mod asks;
pub(super) mod event_buffer;
pub(super) mod event_log;
pub(super) mod file_ownership;
pub(super) mod in_flight;
pub(super) mod journal;
pub(super) mod line_count;
pub(super) mod prompts;
pub(super) mod recorder;
pub(super) mod shell;
pub(super) mod steering;
