//! Reads the lines appended to a file since it was last read, in bounded memory. A replaced or rewritten file is
//! detected and read from the start.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Result, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use pilothouse_core::limits::AGENT_LINE_BYTES;

use crate::clock::unix_ms;
use crate::history::source::ReadProgress;

/// The position up to which a file was read, with what identifies the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FilePosition {
    pub(super) inode: u64,
    pub(super) progress: ReadProgress,
}

pub(super) struct AppendedLines {
    reader: BufReader<File>,
    position: FilePosition,
    /// The file is not the one that was read before, and is read from the start.
    pub(super) is_new_file: bool,
    /// Milliseconds since 1970.
    pub(super) modified: u64,
}

/// A complete line, without its line break.
pub(super) enum AppendedLine<'a> {
    Line(&'a [u8]),
    /// The line exceeds the limit for agents and was skipped.
    TooLong,
}

impl AppendedLines {
    /// Opens the file after the known position.
    pub(super) fn open(path: &Path, known: &FilePosition) -> Result<Self> {
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        let is_same = metadata.ino() == known.inode && known.progress.matches(&file);
        let position = if is_same {
            known.clone()
        } else {
            FilePosition { inode: metadata.ino(), ..FilePosition::default() }
        };
        file.seek(SeekFrom::Start(position.progress.read))?;
        Ok(Self {
            reader: BufReader::with_capacity(64 * 1024, file),
            position,
            is_new_file: !is_same,
            modified: unix_ms(metadata.modified()?),
        })
    }

    /// Reads the next complete line into the buffer. Returns `None` at the end of the file; an incomplete last line
    /// stays unread.
    pub(super) fn next<'a>(&mut self, buffer: &'a mut Vec<u8>) -> Result<Option<AppendedLine<'a>>> {
        buffer.clear();
        let limit = AGENT_LINE_BYTES as u64;
        let mut length = (&mut self.reader).take(limit).read_until(b'\n', buffer)? as u64;
        let is_complete = buffer.ends_with(b"\n");
        if !is_complete && length >= limit {
            buffer.clear();
            length += match self.skip_line()? {
                Some(skipped) => skipped,
                None => return Ok(None),
            };
        } else if !is_complete {
            return Ok(None);
        }
        self.position.progress.read += length;
        let line = if is_complete { AppendedLine::Line(buffer.trim_ascii()) } else { AppendedLine::TooLong };
        Ok(Some(line))
    }

    /// Skips the rest of the current line and returns its length, or `None` if the line is incomplete.
    fn skip_line(&mut self) -> Result<Option<u64>> {
        let mut skipped = 0;
        loop {
            let available = self.reader.fill_buf()?;
            if available.is_empty() {
                return Ok(None);
            }
            let end = memchr::memchr(b'\n', available);
            let length = end.map_or(available.len(), |end| end + 1);
            self.reader.consume(length);
            skipped += length as u64;
            if end.is_some() {
                return Ok(Some(skipped));
            }
        }
    }

    /// The number of bytes read.
    pub(super) const fn offset(&self) -> u64 {
        self.position.progress.read
    }

    /// The current position, with which a later read can continue.
    pub(super) fn position(&mut self) -> Result<FilePosition> {
        self.position.progress = ReadProgress::at(self.reader.get_ref(), self.position.progress.read)?;
        Ok(self.position.clone())
    }
}
