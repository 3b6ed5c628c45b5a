//! Long conversations that are likely to be looked at next, read before somebody asks: to know how many rows a session
//! has takes reading all of it, and nobody should wait for that.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pilothouse_core::limits::{READ_AHEAD_MIN_BYTES, READ_AHEAD_TOTAL_BYTES};

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
                let walked = scanned.walked();
                self.ready().push(walked);
            }
        }
    }

    fn ready(&self) -> MutexGuard<'_, Vec<Scanned>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(path: &Path, bytes: u64) {
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
    fn what_is_large_is_there_once_and_only_as_long_as_its_file_stays_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (large, small, gone) = (path("large"), path("small"), path("gone"));
        session(&large, READ_AHEAD_MIN_BYTES);
        session(&small, 1_000);
        let ahead = ReadAhead::default();
        let files = [gone.clone(), small.clone(), large.clone()];
        ahead.read(&files);
        assert!(ahead.take(&small).is_none() && ahead.take(&gone).is_none());
        assert!(ahead.take(&large).is_some());
        assert!(ahead.take(&large).is_none(), "it was handed over");

        ahead.read(&files);
        session(&large, READ_AHEAD_MIN_BYTES + 1_000);
        assert!(ahead.take(&large).is_none(), "the file has become another");
        ahead.read(&files);
        ahead.read(&[small]);
        assert!(ahead.take(&large).is_none(), "nobody is likely to ask for it any more");
    }
}
