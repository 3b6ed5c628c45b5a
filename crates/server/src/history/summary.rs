//! The sidebar's data of one session file, updated when the file changes: only the appended part of a grown file is
//! read, and an unchanged file is not opened.

use std::fs::File;
use std::path::{Path, PathBuf};

use pilothouse_agents::history::digest::SessionDigest;
use pilothouse_agents::history::facts::LastTurn;
use pilothouse_core::SessionState;

use super::source::{FileStamp, ReadProgress};

/// The sidebar's data of a session file.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredSession {
    pub id: String,
    pub path: PathBuf,
    pub cwd: String,
    pub title: String,
    pub state: SessionState,
    /// The time of the newest message, in milliseconds since 1970.
    pub modified: u64,
    pub last_turn: LastTurn,
    /// The agent's own id of a session that was recorded here.
    pub agent_session: Option<String>,
    /// The agent's id of a session that was not loaded completely.
    pub import: Option<String>,
}

/// The digest of a session file, with the state needed to continue reading it.
#[derive(Debug, Default)]
pub(super) struct FileSummary {
    /// The version of the file at the last update.
    stamp: Option<FileStamp>,
    digest: SessionDigest,
    progress: ReadProgress,
}

impl FileSummary {
    /// Whether the file was already read in this version.
    pub(super) fn is_current(&self, stamp: FileStamp) -> bool {
        self.stamp == Some(stamp)
    }

    /// Reads the file up to its current end.
    pub(super) fn update(&mut self, path: &Path, stamp: FileStamp) {
        let has_grown =
            self.stamp.is_some_and(|before| before.is_same_file(stamp) && before.length < stamp.length);
        let result = File::open(path).and_then(|file| {
            if !has_grown || !self.progress.matches(&file) {
                *self = Self::default();
            }
            self.read_to_end(&file)?;
            if self.digest.needs_full_read() {
                *self = Self::default();
                self.read_to_end(&file)?;
            }
            Ok(())
        });
        if let Err(error) = result {
            tracing::debug!(path = %path.display(), %error, "cannot read a session file");
            *self = Self::default();
        }
        self.stamp = Some(stamp);
    }

    fn read_to_end(&mut self, file: &File) -> std::io::Result<()> {
        let Self { digest, progress, .. } = self;
        progress.read_to_end(file, |bytes| digest.feed(bytes))?;
        progress.rewind(digest.suspend());
        Ok(())
    }

    /// Returns `None` if this is not a session file.
    pub(super) fn stored_session(&self, path: &Path) -> Option<StoredSession> {
        let facts = Some(self.digest.facts()).filter(|facts| facts.is_session() && !facts.id.is_empty())?;
        Some(StoredSession {
            id: id_in_file_name(path).unwrap_or(&facts.id).to_owned(),
            path: path.to_owned(),
            cwd: facts.cwd.clone(),
            title: facts.title(),
            state: self.digest.resting_state(),
            modified: facts.modified().unwrap_or_else(|| self.stamp.map_or(0, FileStamp::modified_ms)),
            last_turn: facts.last_turn(self.digest.resting_state() == SessionState::Paused),
            agent_session: facts.agent_session.clone(),
            import: facts.import.clone(),
        })
    }
}

/// The session id in a file name of the form `<time>_<id>.jsonl`. It takes precedence over the id in the header, because
/// an agent may write a different id into a file whose path it was given.
fn id_in_file_name(path: &Path) -> Option<&str> {
    let (_, id) = path.file_stem()?.to_str()?.rsplit_once('_')?;
    let is_plain = id.len() >= 16 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_plain.then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_in_the_file_name_is_recognized() {
        let id = |name: &str| id_in_file_name(Path::new(name)).map(str::to_owned);
        let uuid = "01a1e225-0cbb-7711-81c4-11ead64558e7";
        assert_eq!(id(&format!("/s/2026-11-16T02-17-21-345Z_{uuid}.jsonl")).as_deref(), Some(uuid));
        for other in
            ["/s/session.jsonl", "/s/my_notes.jsonl", "/s/a_<script>alert(1)</script>.jsonl", "/s/.jsonl"]
        {
            assert_eq!(id(other), None, "{other}");
        }
    }
}
