//! Bytes of a file that others write: from a place on, and from places here and there. Tells a file that has grown
//! from one that was cut, written anew or put in the place of the one that was read.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use pilothouse_core::limits::FILE_CHUNK_BYTES;

/// What the system says of a file without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Of the content or of anything else about it: a copy may keep the time of its content, but not this.
    changed: (i64, i64),
    written: (i64, i64),
    pub length: u64,
    place: (u64, u64),
}

impl Stamp {
    pub fn of(metadata: &Metadata) -> Self {
        Self {
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            written: (metadata.mtime(), metadata.mtime_nsec()),
            length: metadata.len(),
            place: (metadata.dev(), metadata.ino()),
        }
    }

    pub fn at(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok().filter(Metadata::is_file)?;
        Some(Self::of(&metadata))
    }

    /// When it was written to last, in milliseconds since 1970.
    pub fn milliseconds(self) -> u64 {
        let (seconds, nanoseconds) = self.written;
        u64::try_from(seconds.saturating_mul(1_000).saturating_add(nanoseconds / 1_000_000))
            .unwrap_or_default()
    }

    pub fn is_same_file(self, other: Self) -> bool {
        self.place == other.place
    }
}

/// How far a file was read, and how what was read ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub read: u64,
    /// The bytes right before that.
    pub last: Vec<u8>,
}

/// So many of the last bytes tell whether a file still is what was read of it.
const REMEMBERED_BYTES: usize = 64;

impl Progress {
    /// Of a file that was read up to here by other means.
    pub fn at(file: &File, read: u64) -> io::Result<Self> {
        let start = read.saturating_sub(REMEMBERED_BYTES as u64);
        let mut last = vec![0; usize::try_from(read - start).unwrap_or_default()];
        file.read_exact_at(&mut last, start)?;
        Ok(Self { read, last })
    }

    /// Reads on to the end of the file.
    pub fn read_on(&mut self, file: &File, mut take: impl FnMut(&[u8])) -> io::Result<()> {
        let left = file.metadata()?.len().saturating_sub(self.read).saturating_add(1);
        let mut chunk = vec![0; usize::try_from(left).unwrap_or(usize::MAX).clamp(512, FILE_CHUNK_BYTES)];
        loop {
            let length = match file.read_at(&mut chunk, self.read) {
                Ok(0) => return Ok(()),
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            self.remember(&chunk[..length]);
            take(&chunk[..length]);
        }
    }

    /// Whether the file still has what was read of it, as far as its end tells.
    pub fn fits(&self, file: &File) -> bool {
        Self::at(file, self.read).is_ok_and(|there| there.last.ends_with(&self.last))
    }

    fn remember(&mut self, bytes: &[u8]) {
        self.read += bytes.len() as u64;
        let kept = REMEMBERED_BYTES.saturating_sub(bytes.len()).min(self.last.len());
        self.last.drain(..self.last.len() - kept);
        self.last.extend_from_slice(&bytes[bytes.len().saturating_sub(REMEMBERED_BYTES)..]);
    }

    /// What comes behind `read` is to be read again.
    pub fn go_back(&mut self, read: u64) {
        let again = usize::try_from(self.read - read).unwrap_or(usize::MAX);
        self.last.truncate(self.last.len().saturating_sub(again));
        self.read = read;
    }
}

/// Pieces of a file, most of them one after the other.
#[derive(Debug)]
pub struct Pieces<'a> {
    file: &'a File,
    start: u64,
    held: Vec<u8>,
}

impl<'a> Pieces<'a> {
    pub const fn new(file: &'a File) -> Self {
        Self { file, start: 0, held: Vec::new() }
    }

    /// None if the file does not have it any more.
    pub fn piece(&mut self, offset: u64, length: usize) -> Option<&[u8]> {
        let held = offset.checked_sub(self.start).and_then(|skip| usize::try_from(skip).ok());
        let held = held.filter(|skip| skip.checked_add(length).is_some_and(|end| end <= self.held.len()));
        let skip = match held {
            Some(skip) => skip,
            None => {
                self.fill(offset, length)?;
                0
            }
        };
        self.held.get(skip..skip + length)
    }

    fn fill(&mut self, offset: u64, length: usize) -> Option<()> {
        self.held.clear();
        // A single large piece does not stay.
        self.held.shrink_to(FILE_CHUNK_BYTES);
        self.held.resize(length.max(FILE_CHUNK_BYTES), 0);
        self.start = offset;
        let mut filled = 0;
        while filled < length {
            match self.file.read_at(&mut self.held[filled..], offset + filled as u64) {
                Ok(0) => break,
                Ok(more) => filled += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        self.held.truncate(filled);
        (filled >= length).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_grew_fits_and_one_that_was_written_anew_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut progress = Progress::default();
        for text in ["", "a", "abc", &"abc".repeat(100), &"abc".repeat(100_000)] {
            std::fs::write(&path, text).unwrap();
            let file = File::open(&path).unwrap();
            assert!(progress.fits(&file), "{} bytes", text.len());
            let start = usize::try_from(progress.read).unwrap();
            let mut read = Vec::new();
            progress.read_on(&file, |bytes| read.extend_from_slice(bytes)).unwrap();
            assert_eq!(read, text.as_bytes()[start..]);
        }
        std::fs::write(&path, "bca".repeat(200_000)).unwrap();
        assert!(!progress.fits(&File::open(&path).unwrap()));
        progress.go_back(299_990);
        assert_eq!(progress.read, 299_990);
    }

    #[test]
    fn pieces_come_from_anywhere() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let bytes: Vec<u8> = (0..1_000_000_u32).map(|number| (number % 251) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let file = File::open(&path).unwrap();
        let mut pieces = Pieces::new(&file);
        for (offset, length) in [(0, 10), (5, 100), (900_000, 100_000), (100, 600_000), (700_000, 1), (0, 0)]
        {
            assert_eq!(pieces.piece(offset as u64, length).unwrap(), &bytes[offset..offset + length]);
        }
        assert_eq!(pieces.piece(999_999, 2), None);
        assert_eq!(pieces.piece(5_000_000, 1), None);
    }
}
