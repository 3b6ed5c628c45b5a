//! Finds the records in the bytes of a session file, fed in chunks of any size. Only LF ends a line. A line may contain
//! a byte order mark, NULs or junk, may be incomplete, or may hold several records: every complete record is found and
//! everything else is counted. Only the incomplete last line is buffered.

use pilothouse_core::limits::{SALVAGE_ATTEMPTS, SESSION_LINE_BYTES};

use super::record::{EntryKind, Record};
use super::repair::repair;

/// A record and its position.
#[derive(Debug)]
pub struct FoundRecord<'a> {
    /// The position of the first byte in the file.
    pub offset: u64,
    pub bytes: &'a [u8],
    pub record: Record<'a>,
}

/// Finds records in the bytes of a file.
#[derive(Clone, Debug, Default)]
pub struct RecordScanner {
    partial: Vec<u8>,
    /// The position of `partial` in the file.
    offset: u64,
    /// The current line is too long and its bytes are dropped.
    dropping: bool,
    skipped: usize,
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The first bytes of every record that pi writes.
const RECORD_START: &[u8] = br#"{"type":""#;

impl RecordScanner {
    /// Processes the next bytes of the file and passes each record found to `on_record`.
    pub fn feed(&mut self, mut bytes: &[u8], on_record: &mut impl FnMut(&FoundRecord<'_>)) {
        if !self.partial.is_empty() || self.dropping {
            let Some(end) = memchr::memchr(b'\n', bytes) else { return self.buffer(bytes) };
            self.buffer(&bytes[..end]);
            let line = std::mem::take(&mut self.partial);
            if std::mem::take(&mut self.dropping) {
                self.skipped += 1;
            } else {
                self.scan_line(&line, on_record);
                self.offset += line.len() as u64;
            }
            self.offset += 1;
            bytes = &bytes[end + 1..];
        }
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            self.scan_line(&bytes[..end], on_record);
            self.offset += end as u64 + 1;
            bytes = &bytes[end + 1..];
        }
        self.buffer(bytes);
    }

    /// Processes the last line at the current end of the file: complete records are found although the line break is
    /// missing, and an incomplete one stays buffered.
    pub fn flush(&mut self, on_record: &mut impl FnMut(&FoundRecord<'_>)) {
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
            on_record(&FoundRecord { offset: self.offset + position as u64, bytes, record });
            position += length;
            position += leading_blanks(&line[position..]);
        }
        self.offset += position as u64;
        self.buffer(&line[position..]);
    }

    /// Drops the buffered line. Returns the position from which to continue reading.
    pub fn suspend(&mut self) -> u64 {
        self.partial = Vec::new();
        self.offset
    }

    /// The number of lines, or parts of lines, that are not records, including an incomplete last line.
    pub fn skipped(&self) -> usize {
        let is_incomplete = self.dropping || leading_blanks(&self.partial) < self.partial.len();
        self.skipped + usize::from(is_incomplete)
    }

    fn buffer(&mut self, bytes: &[u8]) {
        if self.dropping || self.partial.len() + bytes.len() > SESSION_LINE_BYTES {
            self.offset += (self.partial.len() + bytes.len()) as u64;
            self.partial = Vec::new();
            self.dropping = true;
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }

    fn scan_line(&mut self, line: &[u8], on_record: &mut impl FnMut(&FoundRecord<'_>)) {
        let position = leading_blanks(line);
        if position == line.len() {
            return;
        }
        if let Some((record, length)) = record_at(&line[position..])
            && position + length == line.trim_ascii_end().len()
        {
            let bytes = &line[position..position + length];
            return on_record(&FoundRecord { offset: self.offset + position as u64, bytes, record });
        }
        match repair(line) {
            Some(repaired) => self.scan_damaged_line(&repaired, on_record),
            None => self.scan_damaged_line(line, on_record),
        }
    }

    /// Scans a line that is not exactly one record.
    fn scan_damaged_line(&mut self, line: &[u8], on_record: &mut impl FnMut(&FoundRecord<'_>)) {
        let mut position = leading_blanks(line);
        let mut attempts = 0;
        // After junk, a JSON object counts as a record only if its fields prove it.
        let mut after_junk = false;
        while position < line.len() {
            let rest = &line[position..];
            match record_at(rest).filter(|(record, _)| !after_junk || is_certainly_record(record)) {
                Some((record, length)) => {
                    on_record(&FoundRecord {
                        offset: self.offset + position as u64,
                        bytes: &rest[..length],
                        record,
                    });
                    after_junk = false;
                    position += length;
                    position += leading_blanks(&line[position..]);
                }
                None => {
                    self.skipped += usize::from(!std::mem::replace(&mut after_junk, true));
                    attempts += 1;
                    let next = memchr::memmem::find(&rest[1..], RECORD_START);
                    let Some(next) = next.filter(|_| attempts < SALVAGE_ATTEMPTS) else { return };
                    position += 1 + next;
                }
            }
        }
    }
}

/// The length of leading white space and byte order marks.
fn leading_blanks(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    loop {
        rest = rest.trim_ascii_start();
        match rest.strip_prefix(BYTE_ORDER_MARK) {
            Some(after) => rest = after,
            None => return bytes.len() - rest.len(),
        }
    }
}

/// Reads the record at the start of the bytes. Returns it with its length.
fn record_at(bytes: &[u8]) -> Option<(Record<'_>, usize)> {
    let mut stream = serde_json::Deserializer::from_slice(bytes).into_iter::<Record<'_>>();
    match stream.next() {
        Some(Ok(record)) => Some((record, stream.byte_offset())),
        _ => None,
    }
}

fn is_certainly_record(record: &Record<'_>) -> bool {
    record.id.is_some() && record.kind != EntryKind::Unknown
}

#[cfg(test)]
#[path = "records_tests.rs"]
mod tests;
