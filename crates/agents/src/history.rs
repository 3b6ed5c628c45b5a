//! The session file format: JSON lines, a header and entries with id, parent, time and a message. Files are read in any
//! pieces and at any size; nothing here opens one.
//!
//! `records` finds the lines, `record` reads the few fields every consumer needs, `index` knows where each entry is and
//! which entries form the active branch, `digest` computes what the sidebar shows, `entry` reads entries in full, and
//! `searchable` extracts their text for the search index.

pub mod digest;
pub mod entry;
pub mod facts;
pub mod index;
pub mod record;
pub mod records;
mod repair;
pub mod searchable;
pub mod timestamp;
