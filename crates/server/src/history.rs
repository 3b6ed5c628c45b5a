//! The session files of agents. They belong to the agents and are only read here: in chunks, at any size, and after a
//! change only the appended part.
//!
//! `files` lists the session files, `summary` holds the sidebar's data of one file, `history_file` its conversation,
//! `source` reads bytes and detects replaced files, `watch` reports changes, `read_ahead` reads long files before they
//! are opened.

pub mod files;
pub mod history_file;
pub mod read_ahead;
pub mod source;
pub mod summary;
pub mod watch;

pub use files::SessionFiles;
pub use history_file::{HistoryFile, ScannedFile};
pub use summary::StoredSession;
