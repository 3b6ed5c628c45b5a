//! What the sidebar needs of one session file, kept from look to look: a file that has grown is read from where it
//! was, one that did not change is not opened.

use std::fs::File;
use std::path::{Path, PathBuf};

use pilothouse_agents::history::digest::SessionDigest;
use pilothouse_core::SessionState;

use super::source::{Progress, Stamp};

/// What the sidebar needs of a session file.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredSession {
    pub id: String,
    pub path: PathBuf,
    pub cwd: String,
    pub title: String,
    pub state: SessionState,
    /// Milliseconds since 1970.
    pub modified: u64,
}

/// How far a file was read, and what that told.
#[derive(Debug, Default)]
pub(super) struct Summary {
    /// Of the last look.
    stamp: Option<Stamp>,
    digest: SessionDigest,
    progress: Progress,
}

impl Summary {
    pub(super) fn is_current(&self, stamp: Stamp) -> bool {
        self.stamp == Some(stamp)
    }

    /// Looks at the file again.
    pub(super) fn look(&mut self, path: &Path, stamp: Stamp) {
        let grown =
            self.stamp.is_some_and(|before| before.is_same_file(stamp) && before.length < stamp.length);
        let read = File::open(path).and_then(|file| {
            if !grown || !self.progress.fits(&file) {
                *self = Self::default();
            }
            self.read_on(&file)?;
            if self.digest.is_lost() {
                *self = Self::default();
                self.read_on(&file)?;
            }
            Ok(())
        });
        if let Err(error) = read {
            tracing::debug!(path = %path.display(), %error, "a session file cannot be read");
            *self = Self::default();
        }
        self.stamp = Some(stamp);
    }

    fn read_on(&mut self, file: &File) -> std::io::Result<()> {
        let Self { digest, progress, .. } = self;
        progress.read_on(file, |bytes| digest.feed(bytes))?;
        progress.go_back(digest.rest());
        Ok(())
    }

    /// None if it is no session file.
    pub(super) fn stored(&self, path: &Path) -> Option<StoredSession> {
        let facts = Some(self.digest.facts()).filter(|facts| facts.is_session() && !facts.id.is_empty())?;
        Some(StoredSession {
            id: id_in_name(path).unwrap_or(&facts.id).to_owned(),
            path: path.to_owned(),
            cwd: facts.cwd.clone(),
            title: facts.title(),
            state: self.digest.resting_state(),
            modified: facts.modified().unwrap_or_else(|| self.stamp.map_or(0, Stamp::milliseconds)),
        })
    }
}

/// A file is named after its session: `<time>_<id>.jsonl`. Before 1.0 pi writes an id of its own into a file that it
/// was told to make.
fn id_in_name(path: &Path) -> Option<&str> {
    let (_, id) = path.file_stem()?.to_str()?.rsplit_once('_')?;
    let plain = id.len() >= 16 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    plain.then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_known_by_the_name_of_its_file() {
        let id = |name: &str| id_in_name(Path::new(name)).map(str::to_owned);
        let uuid = "01a1e225-0cbb-7711-81c4-11ead64558e7";
        assert_eq!(id(&format!("/s/2026-11-16T02-17-21-345Z_{uuid}.jsonl")).as_deref(), Some(uuid));
        for odd in
            ["/s/session.jsonl", "/s/my_notes.jsonl", "/s/a_<script>alert(1)</script>.jsonl", "/s/.jsonl"]
        {
            assert_eq!(id(odd), None, "{odd}");
        }
    }
}
