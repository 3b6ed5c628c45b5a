//! Reads what was added to a file since it was read last, line by line, in bounded memory. Knows a file that was
//! replaced or written anew: then it begins at the start.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Result, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::UNIX_EPOCH;

use pilothouse_core::limits::AGENT_LINE_BYTES;

use crate::history::source::ReadProgress;

/// How far a file has been read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) inode: u64,
    pub(super) progress: ReadProgress,
}

pub(super) struct Growth {
    lines: BufReader<File>,
    mark: Mark,
    /// It is another file than the one that was read: what is known of it no longer holds.
    pub(super) is_new: bool,
    /// Milliseconds since 1970.
    pub(super) modified: u64,
}

/// A line, without its end.
pub(super) enum Line<'a> {
    Whole(&'a [u8]),
    /// Longer than any agent may send: passed over.
    TooLong,
}

impl Growth {
    pub(super) fn open(path: &Path, known: &Mark) -> Result<Self> {
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        let same = metadata.ino() == known.inode && known.progress.matches(&file);
        let mark = if same { known.clone() } else { Mark { inode: metadata.ino(), ..Mark::default() } };
        file.seek(SeekFrom::Start(mark.progress.read))?;
        let modified = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Self {
            lines: BufReader::with_capacity(64 * 1024, file),
            mark,
            is_new: !same,
            modified: u64::try_from(modified.as_millis()).unwrap_or(u64::MAX),
        })
    }

    /// The next complete line, in the buffer that is handed in. None at the end of what is written.
    pub(super) fn next<'a>(&mut self, buffer: &'a mut Vec<u8>) -> Result<Option<Line<'a>>> {
        buffer.clear();
        let limit = AGENT_LINE_BYTES as u64;
        let mut length = (&mut self.lines).take(limit).read_until(b'\n', buffer)? as u64;
        let is_whole = buffer.ends_with(b"\n");
        if !is_whole && length >= limit {
            buffer.clear();
            length += match self.skip_line()? {
                Some(skipped) => skipped,
                None => return Ok(None),
            };
        } else if !is_whole {
            return Ok(None);
        }
        self.mark.progress.read += length;
        Ok(Some(if is_whole { Line::Whole(buffer.trim_ascii()) } else { Line::TooLong }))
    }

    /// None if the line has no end yet.
    fn skip_line(&mut self) -> Result<Option<u64>> {
        let mut skipped = 0;
        loop {
            let available = self.lines.fill_buf()?;
            if available.is_empty() {
                return Ok(None);
            }
            let end = memchr::memchr(b'\n', available);
            let length = end.map_or(available.len(), |end| end + 1);
            self.lines.consume(length);
            skipped += length as u64;
            if end.is_some() {
                return Ok(Some(skipped));
            }
        }
    }

    pub(super) const fn offset(&self) -> u64 {
        self.mark.progress.read
    }

    /// How far it has been read by now.
    pub(super) fn mark(&mut self) -> Result<Mark> {
        self.mark.progress = ReadProgress::at(self.lines.get_ref(), self.mark.progress.read)?;
        Ok(self.mark.clone())
    }
}
