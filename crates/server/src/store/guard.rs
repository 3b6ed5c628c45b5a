//! Decides whether the store may be written: in the folder that the server opened, and while the database is known to be
//! sound.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::ErrorCode;

use super::writer::StoreError;
use super::{damage, database};
use crate::data_folder::FolderIdentity;

const DAMAGED: &str =
    "the database is damaged. Restart Pilothouse: it keeps what can be read and says what was lost";

/// Clones share what is known.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    folder: FolderIdentity,
    database: PathBuf,
    is_damaged: Arc<AtomicBool>,
}

impl Guard {
    pub(super) fn new(folder: FolderIdentity, database: PathBuf) -> Self {
        Self { folder, database, is_damaged: Arc::default() }
    }

    pub(super) const fn folder(&self) -> &FolderIdentity {
        &self.folder
    }

    pub(super) fn check(&self) -> Result<(), StoreError> {
        if self.is_damaged.load(Ordering::Relaxed) {
            return Err(StoreError::new(DAMAGED));
        }
        self.folder.check().map_err(StoreError::new)
    }

    /// Translates an error, and notes damage: nothing is written any more, and the next start repairs the database even
    /// if its check finds nothing.
    pub(super) fn error_of(&self, error: &rusqlite::Error) -> StoreError {
        if !is_damage(error) {
            return StoreError::of(error);
        }
        if !self.is_damaged.swap(true, Ordering::Relaxed) {
            tracing::error!(%error, "{} is damaged", self.database.display());
            if self.folder.check().is_ok() {
                let mark = database::beside(&self.database, damage::MARK);
                let _ = OpenOptions::new().create(true).append(true).mode(0o600).open(mark);
            }
        }
        StoreError::new(DAMAGED)
    }
}

/// Whether the error says that the database's contents are inconsistent.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}
