//! Checks SQLite's write-ahead log. After a crash its end may be cut off, which loses nothing that was acknowledged; SQLite
//! treats damage in the middle in the same way, so committed transactions would disappear without a word.
//!
//! The format is described at <https://www.sqlite.org/fileformat2.html#walformat>.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Result};
use std::path::Path;

const HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;
const MAGIC: u32 = 0x377f_0682;

/// Whether the log contained commits that SQLite will not find. `index` is the shared-memory file beside it, which knows
/// how long the log was.
pub(super) fn lost_commits(log: &Path, index: &Path) -> Result<bool> {
    let mut log = match File::open(log) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        opened => BufReader::new(opened?),
    };
    let mut header = [0; HEADER_BYTES];
    if !fill(&mut log, &mut header)? {
        return Ok(false);
    }
    let Some((is_big_endian, page_bytes)) = read_header(&header) else {
        // Blocks of zeros are a file that was not written before the machine stopped.
        return Ok(header != [0; HEADER_BYTES] || !is_zero(&mut log)?);
    };
    let salt = &header[16..24];
    let mut sums = checksum(is_big_endian, (0, 0), &header[..24]);
    if sums != (number(&header, 24), number(&header, 28)) {
        return Ok(true);
    }
    let mut frame = vec![0; FRAME_HEADER_BYTES + page_bytes];
    let (mut intact_frames, mut is_intact) = (0_u32, true);
    while fill(&mut log, &mut frame)? {
        let is_current = &frame[8..16] == salt;
        if is_intact {
            let (head, page) = frame.split_at(FRAME_HEADER_BYTES);
            sums = checksum(is_big_endian, checksum(is_big_endian, sums, &head[..8]), page);
            is_intact = is_current && sums == (number(head, 16), number(head, 20));
            intact_frames += u32::from(is_intact);
        }
        let is_commit = number(&frame, 4) != 0;
        if !is_intact && is_current && is_commit {
            return Ok(true);
        }
    }
    Ok(committed_frames(index, salt).is_some_and(|frames| frames > intact_frames))
}

/// The byte order of the checksums and the size of a page.
fn read_header(header: &[u8]) -> Option<(bool, usize)> {
    let magic = number(header, 0);
    let page_bytes = usize::try_from(number(header, 8)).ok()?;
    let is_valid =
        magic & !1 == MAGIC && page_bytes.is_power_of_two() && (512..=65_536).contains(&page_bytes);
    is_valid.then_some((magic & 1 == 1, page_bytes))
}

/// The length of the log, in frames, when it was last written, if the index belongs to this log.
fn committed_frames(index: &Path, salt: &[u8]) -> Option<u32> {
    let mut header = [0; 48];
    File::open(index).ok()?.read_exact(&mut header).ok()?;
    let frames = u32::from_ne_bytes(header[16..20].try_into().ok()?);
    (&header[32..40] == salt).then_some(frames)
}

/// Reads as much as fits. Returns false at the end of the file.
fn fill(file: &mut impl Read, buffer: &mut [u8]) -> Result<bool> {
    match file.read_exact(buffer) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        result => result.map(|()| true),
    }
}

fn is_zero(file: &mut impl Read) -> Result<bool> {
    let mut buffer = [0; 4_096];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(true);
        }
        if buffer[..read].iter().any(|byte| *byte != 0) {
            return Ok(false);
        }
    }
}

fn number(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_be_bytes)
}

fn checksum(is_big_endian: bool, sums: (u32, u32), bytes: &[u8]) -> (u32, u32) {
    let word = |bytes: &[u8]| {
        let bytes = bytes.try_into().unwrap_or_default();
        if is_big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    };
    bytes.chunks_exact(8).fold(sums, |(first, second), pair| {
        let first = first.wrapping_add(word(&pair[..4])).wrapping_add(second);
        (first, second.wrapping_add(word(&pair[4..])).wrapping_add(first))
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use rusqlite::Connection;

    use super::*;

    /// The log of a database with twenty commits, as a killed server leaves it, and its index.
    fn files(folder: &Path) -> (PathBuf, PathBuf) {
        let path = folder.join("a.db");
        let connection = Connection::open(&path).unwrap();
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).unwrap();
        connection.execute_batch("CREATE TABLE t (x); ").unwrap();
        for number in 0..20 {
            connection.execute("INSERT INTO t VALUES (?)", [number]).unwrap();
        }
        let (log, index) = (folder.join("log"), folder.join("index"));
        std::fs::copy(folder.join("a.db-wal"), &log).unwrap();
        std::fs::copy(folder.join("a.db-shm"), &index).unwrap();
        (log, index)
    }

    #[test]
    fn an_intact_log_and_a_torn_end_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (log, index) = files(folder.path());
        assert!(!lost_commits(&log, &index).unwrap());
        let nothing = folder.path().join("nothing");
        assert!(!lost_commits(&nothing, &index).unwrap());
        // A transaction that was being written when the machine stopped.
        let mut bytes = std::fs::read(&log).unwrap();
        bytes.extend_from_slice(&vec![7; 9_000]);
        std::fs::write(&log, &bytes).unwrap();
        assert!(!lost_commits(&log, &index).unwrap());
        std::fs::write(&log, vec![0; 9_000]).unwrap();
        assert!(!lost_commits(&log, &nothing).unwrap(), "zeros");
        std::fs::write(&log, [1; 9]).unwrap();
        assert!(!lost_commits(&log, &index).unwrap(), "no whole header");
    }

    #[test]
    fn damage_before_the_end_and_a_missing_end_lose_commits() {
        let folder = tempfile::tempdir().unwrap();
        let (log, index) = files(folder.path());
        let nothing = folder.path().join("nothing");
        let bytes = std::fs::read(&log).unwrap();
        for position in [1, 30, 4_200, bytes.len() / 2] {
            let mut damaged = bytes.clone();
            damaged[position] ^= 0x40;
            std::fs::write(&log, &damaged).unwrap();
            assert!(lost_commits(&log, &nothing).unwrap(), "byte {position}");
        }
        std::fs::write(&log, &bytes[..bytes.len() / 2]).unwrap();
        assert!(lost_commits(&log, &index).unwrap(), "the index knows the length");
        // The index of another log says nothing.
        std::fs::write(&index, [9; 48]).unwrap();
        assert!(!lost_commits(&log, &index).unwrap());
    }
}
