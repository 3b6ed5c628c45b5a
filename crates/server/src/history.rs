//! The session files of pi and of agents that keep theirs the same way. Reads only: these files are the agent's own,
//! and nothing here ever writes one. Whatever their size, a file is read in pieces, and only what is new of it.
//!
//! `files` lists them, `summary` is what the sidebar needs of one, `history_file` its conversation, `source` reads
//! bytes and notices when a file is not the one it was, `watch` says when to look again, `read_ahead` reads long ones
//! before they are asked for.

pub mod files;
pub mod history_file;
pub mod read_ahead;
pub mod source;
pub mod summary;
pub mod watch;

pub use files::SessionFiles;
pub use history_file::{HistoryFile, ScannedFile};
pub use summary::StoredSession;
