//! Codecs for the agents Pilothouse can run: bytes in, events out; typed commands in, bytes out.
//!
//! Sans-I/O: this crate never starts a process, opens a file, reads a clock or awaits anything. The server feeds it.

pub mod framing;
pub mod history;
pub mod pi;
