//! The session file format: JSON lines, a header and entries with id, parent, time and a message. Files are parsed in
//! chunks of any size; nothing here opens one.
//!
//! `records` finds the records in the bytes, `record` reads the few fields every consumer needs, `facts` collects the
//! properties of the whole file, `index` knows where each entry is and which entries form the active branch, `digest`
//! computes the data of the sidebar, `entry` reads entries in full, and `searchable` extracts their text for the search
//! index.

pub mod digest;
pub mod entry;
pub mod facts;
pub mod index;
pub mod record;
pub mod records;
mod repair;
pub mod searchable;
pub mod timestamp;
