//! Reads files that other programs write: sequentially from an offset, and ranges at any position. Distinguishes a file
//! that has grown from one that was truncated, rewritten or replaced.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use pilothouse_core::limits::FILE_CHUNK_BYTES;

/// The metadata that identifies a version of a file, available without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp {
    /// The time of the last change of content or metadata. Tools can preserve the modification time, but not this.
    changed: (i64, i64),
    modified: (i64, i64),
    pub length: u64,
    /// Device and inode.
    file_id: (u64, u64),
}

impl FileStamp {
    pub fn of(metadata: &Metadata) -> Self {
        Self {
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            length: metadata.len(),
            file_id: (metadata.dev(), metadata.ino()),
        }
    }

    pub fn at(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok().filter(Metadata::is_file)?;
        Some(Self::of(&metadata))
    }

    /// The modification time, in milliseconds since 1970.
    pub fn modified_ms(self) -> u64 {
        let (seconds, nanoseconds) = self.modified;
        u64::try_from(seconds.saturating_mul(1_000).saturating_add(nanoseconds / 1_000_000))
            .unwrap_or_default()
    }

    pub fn is_same_file(self, other: Self) -> bool {
        self.file_id == other.file_id
    }
}

/// The position up to which a file was read, and the last bytes before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadProgress {
    /// The number of bytes read.
    pub read: u64,
    /// The bytes directly before that position.
    pub last: Vec<u8>,
}

/// The number of last bytes that are compared to detect a rewritten file.
const REMEMBERED_BYTES: usize = 64;

impl ReadProgress {
    /// The progress of a file that was read up to this position by other means.
    pub fn at(file: &File, read: u64) -> io::Result<Self> {
        let start = read.saturating_sub(REMEMBERED_BYTES as u64);
        let mut last = vec![0; usize::try_from(read - start).unwrap_or_default()];
        file.read_exact_at(&mut last, start)?;
        Ok(Self { read, last })
    }

    /// Reads the rest of the file and passes it to `on_bytes` in chunks.
    pub fn read_to_end(&mut self, file: &File, mut on_bytes: impl FnMut(&[u8])) -> io::Result<()> {
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
            on_bytes(&chunk[..length]);
        }
    }

    /// Whether the file still contains the last bytes that were read, at the same position.
    pub fn matches(&self, file: &File) -> bool {
        Self::at(file, self.read).is_ok_and(|current| current.last.ends_with(&self.last))
    }

    fn remember(&mut self, bytes: &[u8]) {
        self.read += bytes.len() as u64;
        let kept = REMEMBERED_BYTES.saturating_sub(bytes.len()).min(self.last.len());
        self.last.drain(..self.last.len() - kept);
        self.last.extend_from_slice(&bytes[bytes.len().saturating_sub(REMEMBERED_BYTES)..]);
    }

    /// Moves back to an earlier position: the bytes after it will be read again.
    pub fn rewind(&mut self, read: u64) {
        let distance = usize::try_from(self.read - read).unwrap_or(usize::MAX);
        self.last.truncate(self.last.len().saturating_sub(distance));
        self.read = read;
    }
}

/// Reads ranges of a file through a buffer. Suits ranges that mostly follow one another.
#[derive(Debug)]
pub struct RangeReader<'a> {
    file: &'a File,
    /// The position of `buffer` in the file.
    start: u64,
    buffer: Vec<u8>,
}

impl<'a> RangeReader<'a> {
    pub const fn new(file: &'a File) -> Self {
        Self { file, start: 0, buffer: Vec::new() }
    }

    /// Returns the bytes of a range, or `None` if the file no longer contains it.
    pub fn read(&mut self, offset: u64, length: usize) -> Option<&[u8]> {
        let start = offset.checked_sub(self.start).and_then(|start| usize::try_from(start).ok());
        let is_buffered =
            |start: &usize| start.checked_add(length).is_some_and(|end| end <= self.buffer.len());
        let start = match start.filter(is_buffered) {
            Some(start) => start,
            None => {
                self.fill(offset, length)?;
                0
            }
        };
        self.buffer.get(start..start + length)
    }

    fn fill(&mut self, offset: u64, length: usize) -> Option<()> {
        self.buffer.clear();
        // Frees the memory of an earlier, larger range.
        self.buffer.shrink_to(FILE_CHUNK_BYTES);
        self.buffer.resize(length.max(FILE_CHUNK_BYTES), 0);
        self.start = offset;
        let mut filled = 0;
        while filled < length {
            match self.file.read_at(&mut self.buffer[filled..], offset + filled as u64) {
                Ok(0) => break,
                Ok(more) => filled += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        self.buffer.truncate(filled);
        (filled >= length).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grown_file_matches_and_a_rewritten_file_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut progress = ReadProgress::default();
        for text in ["", "a", "abc", &"abc".repeat(100), &"abc".repeat(100_000)] {
            std::fs::write(&path, text).unwrap();
            let file = File::open(&path).unwrap();
            assert!(progress.matches(&file), "{} bytes", text.len());
            let start = usize::try_from(progress.read).unwrap();
            let mut read = Vec::new();
            progress.read_to_end(&file, |bytes| read.extend_from_slice(bytes)).unwrap();
            assert_eq!(read, text.as_bytes()[start..]);
        }
        std::fs::write(&path, "bca".repeat(200_000)).unwrap();
        assert!(!progress.matches(&File::open(&path).unwrap()));
        progress.rewind(299_990);
        assert_eq!(progress.read, 299_990);
    }

    #[test]
    fn ranges_are_read_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let bytes: Vec<u8> = (0..1_000_000_u32).map(|number| (number % 251) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let file = File::open(&path).unwrap();
        let mut reader = RangeReader::new(&file);
        for (offset, length) in [(0, 10), (5, 100), (900_000, 100_000), (100, 600_000), (700_000, 1), (0, 0)]
        {
            assert_eq!(reader.read(offset as u64, length).unwrap(), &bytes[offset..offset + length]);
        }
        assert_eq!(reader.read(999_999, 2), None);
        assert_eq!(reader.read(5_000_000, 1), None);
    }
}
