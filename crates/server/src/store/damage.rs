//! Finds out whether the database is damaged, before SQLite opens it: SQLite takes an empty file for a new database, and
//! silently drops the rest of a damaged log.

use std::path::Path;

use anyhow::Result;

use super::database::beside;
use super::write_ahead_log;
use crate::search;

/// The suffix of the file that says that damage was found while the server ran.
pub(super) const MARK: &str = ".damaged";

/// How a database is damaged, as part of a sentence: "The database …".
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Damage {
    #[error("was replaced by a folder")]
    Folder,
    #[error("was empty")]
    Empty,
    #[error("was damaged")]
    Contents,
    #[error("had a damaged log")]
    Log,
}

/// The damage that can be seen from outside.
pub(super) fn find(path: &Path) -> Result<Option<Damage>> {
    let Ok(metadata) = path.symlink_metadata() else { return Ok(None) };
    if metadata.is_dir() {
        return Ok(Some(Damage::Folder));
    }
    let log = beside(path, "-wal");
    // The first start may have been interrupted before anything was written. The search index is created after it.
    let was_used = path.with_file_name(search::FILE).exists();
    if metadata.len() == 0 && was_used {
        return Ok(Some(Damage::Empty));
    }
    if beside(path, MARK).exists() {
        return Ok(Some(Damage::Contents));
    }
    Ok(write_ahead_log::lost_commits(&log, &beside(path, "-shm"))?.then_some(Damage::Log))
}

/// Whether opening the database failed because it is damaged.
pub(super) fn of_error(error: &anyhow::Error) -> Option<Damage> {
    if let Some(damage) = error.downcast_ref() {
        return Some(*damage);
    }
    error.downcast_ref().is_some_and(super::guard::is_damage).then_some(Damage::Contents)
}
