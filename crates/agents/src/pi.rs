//! pi (`pi --mode rpc`), versions 0.73 and 1.x: one JSON object per line in both directions.
//! `command` builds what we send, `decode` reads what pi says, `history` reads pi's session files.

pub mod command;
pub mod decode;
pub mod history;

pub use command::PiCommand;
pub use decode::{Incoming, Response, decode};
