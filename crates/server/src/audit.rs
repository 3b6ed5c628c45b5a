//! The audit log: every answer to an approval, as a line of JSON in a file of the data folder that only grows.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use pilothouse_core::conversation::ask::Ask;
use pilothouse_core::conversation::ask::subject::Subject;
use pilothouse_core::limits::{AUDIT_READ_BYTES, AUDIT_SHOWN_ENTRIES, AUDIT_TEXT_BYTES};
use pilothouse_core::protocol::{ApprovalEntry, ApprovalLog, CommandError, ErrorCode};
use sha2::{Digest, Sha256};

use crate::data_folder::FolderIdentity;

const FILE: &str = "approvals.jsonl";

/// Everything that is displayed of an ask, as one text. `folder` is the session's.
pub fn displayed_text(ask: &Ask, folder: &Path) -> String {
    Subject::of(ask).text(ask, &folder.to_string_lossy())
}

/// The hash of everything that is displayed, which an answer repeats.
pub fn hash_of(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(text))
}

/// The audit log. Clones share it.
#[derive(Clone, Debug)]
pub struct AuditLog {
    path: PathBuf,
    folder: FolderIdentity,
    /// Held while an entry is written.
    writing: Arc<Mutex<()>>,
}

impl AuditLog {
    /// The log in this data folder, which is written only as long as it is the one that was opened.
    pub fn new(data_folder: &Path, folder: FolderIdentity) -> Self {
        Self { path: data_folder.join(FILE), folder, writing: Arc::default() }
    }

    /// Appends an entry. When this returns, it is on disk.
    pub async fn append(&self, mut entry: ApprovalEntry) -> Result<(), CommandError> {
        shorten(&mut entry.shown);
        let log = self.clone();
        let written = tokio::task::spawn_blocking(move || log.append_blocking(&entry)).await;
        written.map_err(io::Error::other).flatten().map_err(|error| {
            let text = format!("The answer was not sent, because it can't be recorded: {error}.");
            CommandError::new(ErrorCode::NotStored, text)
        })
    }

    fn append_blocking(&self, entry: &ApprovalEntry) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.folder.check()?;
        let is_new = !self.path.exists();
        let mut file =
            OpenOptions::new().create(true).append(true).read(true).mode(0o600).open(&self.path)?;
        // A line that a full disk cut short is ended, so that this entry has one of its own.
        if file.seek(SeekFrom::End(0))? > 0 {
            file.seek(SeekFrom::End(-1))?;
            let mut last = [0];
            file.read_exact(&mut last)?;
            if last != *b"\n" {
                line.insert(0, b'\n');
            }
        }
        file.write_all(&line)?;
        file.sync_data()?;
        if let Some(folder) = self.path.parent().filter(|_| is_new) {
            File::open(folder)?.sync_all()?;
        }
        Ok(self.folder.check()?)
    }

    /// The newest entries.
    pub async fn newest(&self) -> Result<ApprovalLog, CommandError> {
        let log = self.clone();
        let read = tokio::task::spawn_blocking(move || log.newest_blocking()).await;
        let entries = read.map_err(io::Error::other).flatten().map_err(|error| {
            let text = format!("The approvals can't be read: {error}.");
            CommandError::new(ErrorCode::Internal, text)
        })?;
        Ok(ApprovalLog { entries, file: self.path.to_string_lossy().into_owned() })
    }

    fn newest_blocking(&self) -> io::Result<Vec<ApprovalEntry>> {
        let mut file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            opened => opened?,
        };
        let end = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(end.saturating_sub(AUDIT_READ_BYTES)))?;
        let mut bytes = Vec::new();
        file.take(AUDIT_READ_BYTES).read_to_end(&mut bytes)?;
        // What is not an entry, such as the rest of the first line, is left out.
        let lines = bytes.rsplit(|byte| *byte == b'\n');
        Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).take(AUDIT_SHOWN_ENTRIES).collect())
    }
}

fn shorten(text: &mut String) {
    if text.len() > AUDIT_TEXT_BYTES {
        let cut = text.floor_char_boundary(AUDIT_TEXT_BYTES);
        let rest = text.len() - cut;
        text.truncate(cut);
        text.push_str(&format!("… ({rest} more bytes)"));
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn log_in(folder: &Path) -> AuditLog {
        AuditLog::new(folder, FolderIdentity::of(folder, &[]).unwrap())
    }

    fn entry(session: &str) -> ApprovalEntry {
        ApprovalEntry { session: session.to_owned(), shown: "rm -r x".to_owned(), ..ApprovalEntry::default() }
    }

    #[tokio::test]
    async fn entries_are_appended_and_the_newest_come_first() {
        let folder = tempfile::tempdir().unwrap();
        let log = log_in(folder.path());
        assert!(log.newest().await.unwrap().entries.is_empty(), "no file yet");
        log.append(entry("one")).await.unwrap();
        let path = folder.path().join(FILE);
        // A line that was cut short, and one that is no entry.
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"null\n{\"at\":1").unwrap();
        let before = std::fs::read(&path).unwrap();
        log.append(entry("two")).await.unwrap();
        let sessions =
            |log: ApprovalLog| log.entries.into_iter().map(|entry| entry.session).collect::<Vec<_>>();
        assert_eq!(sessions(log.newest().await.unwrap()), ["two", "one"]);
        assert!(std::fs::read(&path).unwrap().starts_with(&before), "only appended");
        for _ in 0..AUDIT_SHOWN_ENTRIES {
            log.append(entry("more")).await.unwrap();
        }
        assert_eq!(log.newest().await.unwrap().entries.len(), AUDIT_SHOWN_ENTRIES);
    }

    #[tokio::test]
    async fn a_long_text_is_shortened_with_a_mark() {
        let folder = tempfile::tempdir().unwrap();
        let log = log_in(folder.path());
        let shown = "ä".repeat(AUDIT_TEXT_BYTES);
        log.append(ApprovalEntry { shown, ..entry("s") }).await.unwrap();
        let text = &log.newest().await.unwrap().entries[0].shown;
        assert!(text.len() < AUDIT_TEXT_BYTES + 40 && text.ends_with(" more bytes)"), "{}", text.len());
    }

    #[tokio::test]
    async fn an_entry_that_cannot_be_written_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("data");
        std::fs::create_dir(&folder).unwrap();
        let log = log_in(&folder);
        log.append(entry("one")).await.unwrap();
        let mode = std::fs::metadata(folder.join(FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        std::fs::rename(&folder, root.path().join("moved")).unwrap();
        assert_eq!(log.append(entry("s")).await.unwrap_err().code, ErrorCode::NotStored);
        std::fs::create_dir(&folder).unwrap();
        let error = log.append(entry("s")).await.unwrap_err();
        assert!(error.message.contains("was replaced by another one"), "{}", error.message);
        assert!(!folder.join(FILE).exists());
    }
}
