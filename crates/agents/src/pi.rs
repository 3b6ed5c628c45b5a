//! pi (`pi --mode rpc`), versions 0.73 and 1.x: one JSON object per line in both directions. `command` builds requests,
//! `decode` reads responses and events.

pub mod command;
pub mod decode;

pub use command::PiCommand;
pub use decode::{Incoming, Response, decode};
