//! Finds the records in the bytes of a session file, which may come in any pieces. Only LF ends a line. A line may
//! have a byte order mark, NULs or junk about it, be torn, or be glued to the next one: every record that is whole is
//! found, everything else is counted. Nothing is kept but the line that is not complete yet.

use pilothouse_core::limits::{SALVAGE_ATTEMPTS, SESSION_LINE_BYTES};

use super::record::{EntryKind, Record};
use super::repair::repair;

/// A record and where it stands.
#[derive(Debug)]
pub struct FoundRecord<'a> {
    /// Of its first byte, in the file.
    pub offset: u64,
    pub bytes: &'a [u8],
    pub record: Record<'a>,
}

#[derive(Clone, Debug, Default)]
pub struct Records {
    partial: Vec<u8>,
    /// Where `partial` begins in the file.
    offset: u64,
    /// The present line is too long, and its bytes are dropped.
    dropping: bool,
    skipped: usize,
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// How pi begins a record.
const BEGINNING: &[u8] = br#"{"type":""#;

impl Records {
    /// Takes in what comes next in the file.
    pub fn feed(&mut self, mut bytes: &[u8], take: &mut impl FnMut(&FoundRecord<'_>)) {
        if !self.partial.is_empty() || self.dropping {
            let Some(end) = memchr::memchr(b'\n', bytes) else { return self.keep(bytes) };
            self.keep(&bytes[..end]);
            let line = std::mem::take(&mut self.partial);
            if std::mem::take(&mut self.dropping) {
                self.skipped += 1;
            } else {
                self.line(&line, take);
                self.offset += line.len() as u64;
            }
            self.offset += 1;
            bytes = &bytes[end + 1..];
        }
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            self.line(&bytes[..end], take);
            self.offset += end as u64 + 1;
            bytes = &bytes[end + 1..];
        }
        self.keep(bytes);
    }

    /// This is the end of the file, for now. A record that is whole needs no line break behind it; what is not waits
    /// for its rest.
    pub fn end(&mut self, take: &mut impl FnMut(&FoundRecord<'_>)) {
        if self.dropping {
            return;
        }
        let mut line = std::mem::take(&mut self.partial);
        let mut position = leading_blanks(&line);
        if record_at(&line[position..]).is_none()
            && let Some(repaired) = repair(&line)
            && record_at(&repaired[position..]).is_some()
        {
            line = repaired;
        }
        while let Some((record, length)) = record_at(&line[position..]) {
            let bytes = &line[position..position + length];
            take(&FoundRecord { offset: self.offset + position as u64, bytes, record });
            position += length;
            position += leading_blanks(&line[position..]);
        }
        self.offset += position as u64;
        self.keep(&line[position..]);
    }

    /// Lets go of what waits for its rest; reading goes on at the place that is given back.
    pub fn rest(&mut self) -> u64 {
        self.partial = Vec::new();
        self.offset
    }

    /// Lines, or parts of them, that are no record: also the one that the file ends with.
    pub fn skipped(&self) -> usize {
        let torn = self.dropping || leading_blanks(&self.partial) < self.partial.len();
        self.skipped + usize::from(torn)
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.dropping || self.partial.len() + bytes.len() > SESSION_LINE_BYTES {
            self.offset += (self.partial.len() + bytes.len()) as u64;
            self.partial = Vec::new();
            self.dropping = true;
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }

    fn line(&mut self, line: &[u8], take: &mut impl FnMut(&FoundRecord<'_>)) {
        let position = leading_blanks(line);
        if position == line.len() {
            return;
        }
        if let Some((record, length)) = record_at(&line[position..])
            && position + length == line.trim_ascii_end().len()
        {
            let bytes = &line[position..position + length];
            return take(&FoundRecord { offset: self.offset + position as u64, bytes, record });
        }
        match repair(line) {
            Some(repaired) => self.damaged(&repaired, take),
            None => self.damaged(line, take),
        }
    }

    /// A line that is more, or less, than one record.
    fn damaged(&mut self, line: &[u8], take: &mut impl FnMut(&FoundRecord<'_>)) {
        let mut position = leading_blanks(line);
        let mut attempts = 0;
        // Behind junk only what is a record beyond doubt counts as one.
        let mut doubtful = false;
        while position < line.len() {
            let rest = &line[position..];
            match record_at(rest).filter(|(record, _)| !doubtful || is_beyond_doubt(record)) {
                Some((record, length)) => {
                    take(&FoundRecord {
                        offset: self.offset + position as u64,
                        bytes: &rest[..length],
                        record,
                    });
                    doubtful = false;
                    position += length;
                    position += leading_blanks(&line[position..]);
                }
                None => {
                    self.skipped += usize::from(!std::mem::replace(&mut doubtful, true));
                    attempts += 1;
                    let next = memchr::memmem::find(&rest[1..], BEGINNING);
                    let Some(next) = next.filter(|_| attempts < SALVAGE_ATTEMPTS) else { return };
                    position += 1 + next;
                }
            }
        }
    }
}

fn leading_blanks(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    loop {
        rest = rest.trim_ascii_start();
        match rest.strip_prefix(BYTE_ORDER_MARK) {
            Some(behind) => rest = behind,
            None => return bytes.len() - rest.len(),
        }
    }
}

/// The record that begins here, and its length.
fn record_at(bytes: &[u8]) -> Option<(Record<'_>, usize)> {
    let mut stream = serde_json::Deserializer::from_slice(bytes).into_iter::<Record<'_>>();
    match stream.next() {
        Some(Ok(record)) => Some((record, stream.byte_offset())),
        _ => None,
    }
}

fn is_beyond_doubt(record: &Record<'_>) -> bool {
    record.id.is_some() && record.kind != EntryKind::Unknown
}

#[cfg(test)]
#[path = "records_tests.rs"]
mod tests;
