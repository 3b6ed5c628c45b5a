//! Reads long session files in advance, for the sessions most likely to be opened next. The number of rows of a session
//! is known only after reading its whole file, which takes too long for large files.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pilothouse_core::limits::{READ_AHEAD_MIN_BYTES, READ_AHEAD_TOTAL_BYTES};

use super::{HistoryFile, ScannedFile};

/// The files that were read in advance.
#[derive(Debug, Default)]
pub struct ReadAhead {
    ready: Mutex<Vec<ScannedFile>>,
    /// Locked while `read` runs; a second call returns at once.
    reading: Mutex<()>,
}

impl ReadAhead {
    /// Removes and returns the file with this path, if it was read and has not changed since.
    pub fn take(&self, path: &Path) -> Option<ScannedFile> {
        let mut ready = self.ready();
        let position = ready.iter().position(|scanned| scanned.path() == path)?;
        Some(ready.swap_remove(position)).filter(ScannedFile::is_fresh)
    }

    /// Reads the large files among these and drops all others. The files most likely to be opened come first, because
    /// the total size is limited. Blocks while reading.
    pub fn read(&self, files: &[PathBuf]) {
        let Ok(_reading) = self.reading.try_lock() else { return };
        let mut room = READ_AHEAD_TOTAL_BYTES;
        let mut chosen = files.to_vec();
        chosen.retain(|file| {
            let length = file.metadata().map_or(0, |metadata| metadata.len());
            let fits = (READ_AHEAD_MIN_BYTES..=room).contains(&length);
            room -= if fits { length } else { 0 };
            fits
        });
        self.ready().retain(|scanned| chosen.iter().any(|file| file == scanned.path()) && scanned.is_fresh());
        for file in &chosen {
            if self.ready().iter().any(|scanned| scanned.path() == file) {
                continue;
            }
            if let Some(scanned) = HistoryFile::scan(file) {
                let prefolded = scanned.prefold();
                self.ready().push(prefolded);
            }
        }
    }

    fn ready(&self) -> MutexGuard<'_, Vec<ScannedFile>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_session(path: &Path, bytes: u64) {
        let mut text =
            "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"cwd\":\"/\"}\n"
                .to_owned();
        let line = "{\"type\":\"message\",\"id\":\"e\",\"parentId\":null,\"message\":{\"role\":\"user\",\"content\":\"Hello\"}}\n";
        while (text.len() as u64) < bytes {
            text.push_str(line);
        }
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn a_large_file_is_handed_over_once_and_only_while_it_is_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (large, small, missing) = (path("large"), path("small"), path("missing"));
        write_session(&large, READ_AHEAD_MIN_BYTES);
        write_session(&small, 1_000);
        let ahead = ReadAhead::default();
        let files = [missing.clone(), small.clone(), large.clone()];
        ahead.read(&files);
        assert!(ahead.take(&small).is_none() && ahead.take(&missing).is_none());
        assert!(ahead.take(&large).is_some());
        assert!(ahead.take(&large).is_none(), "already handed over");

        ahead.read(&files);
        write_session(&large, READ_AHEAD_MIN_BYTES + 1_000);
        assert!(ahead.take(&large).is_none(), "the file has changed");
        ahead.read(&files);
        ahead.read(&[small]);
        assert!(ahead.take(&large).is_none(), "no longer among the files to read");
    }
}
