//! pi (`pi --mode rpc`), versions 0.73 and 1.x: one JSON object per line in both directions.
//! `command` builds what we send, `decode` reads what pi says. Of pi's session files `records` finds the lines,
//! `index` knows where each entry stands and which are shown, `digest` what the sidebar needs, `history` what entries
//! say, `searchable` what a search finds in them.

pub mod command;
pub mod decode;
pub mod digest;
pub mod facts;
pub mod history;
pub mod index;
mod mend;
pub mod record;
pub mod records;
pub mod searchable;
pub mod time;

pub use command::PiCommand;
pub use decode::{Incoming, Response, decode};
