//! Long conversations that are likely to be looked at next, read before somebody asks: to know how many rows a session
//! has takes reading all of it, and nobody should wait for that.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pilothouse_core::limits::{READ_AHEAD_LEAST_BYTES, READ_AHEAD_MOST_BYTES};

use super::{HistoryFile, Scanned};

#[derive(Debug, Default)]
pub struct ReadAhead {
    ready: Mutex<Vec<Scanned>>,
    /// One at a time.
    reading: Mutex<()>,
}

impl ReadAhead {
    /// What was read of a file, if it still is what the file has. It is handed over: whoever opens a session keeps it.
    pub fn take(&self, path: &Path) -> Option<Scanned> {
        let mut ready = self.ready();
        let place = ready.iter().position(|scanned| scanned.path() == path)?;
        Some(ready.swap_remove(place)).filter(Scanned::is_fresh)
    }

    /// Reads those of the files that are large and not read yet, the likeliest first, and forgets all others. Takes its
    /// time: for a thread that may wait.
    pub fn read(&self, files: &[PathBuf]) {
        let Ok(_reading) = self.reading.try_lock() else { return };
        self.ready().retain(|scanned| files.iter().any(|file| file == scanned.path()) && scanned.is_fresh());
        let mut room = READ_AHEAD_MOST_BYTES;
        for file in files {
            let length = file.metadata().map_or(0, |metadata| metadata.len());
            if !(READ_AHEAD_LEAST_BYTES..=room).contains(&length) {
                continue;
            }
            room -= length;
            if self.ready().iter().any(|scanned| scanned.path() == file) {
                continue;
            }
            if let Some(scanned) = HistoryFile::scan(file) {
                let walked = scanned.walked();
                self.ready().push(walked);
            }
        }
    }

    fn ready(&self) -> MutexGuard<'_, Vec<Scanned>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
