//! Finds and reads the session files of pi and of agents that keep theirs the same way. Reads only: these files are
//! the agent's own, and nothing here ever writes one.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use pilothouse_agents::pi::history::SessionHistory;
use pilothouse_core::SessionState;

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

/// Remembers what it has read: a file that did not change is not read again.
#[derive(Debug, Default)]
pub struct SessionFiles {
    known: HashMap<PathBuf, (SystemTime, u64, Option<StoredSession>)>,
}

impl SessionFiles {
    /// All sessions below `<agent folder>/sessions`, in no particular order.
    pub fn list(&mut self, agent_folder: &Path) -> Vec<StoredSession> {
        let mut seen = HashMap::new();
        for path in session_paths(&agent_folder.join("sessions")) {
            let Ok(metadata) = path.metadata() else { continue };
            let stamp = (metadata.modified().unwrap_or(UNIX_EPOCH), metadata.len());
            let stored = match self.known.remove(&path) {
                Some((modified, length, stored)) if (modified, length) == stamp => stored,
                _ => read_stored(&path, stamp.0),
            };
            seen.insert(path, (stamp.0, stamp.1, stored));
        }
        self.known = seen;
        self.known.values().filter_map(|(_, _, stored)| stored.clone()).collect()
    }
}

/// Reads a whole session file. None if it is not one, or cannot be read.
pub fn read_history(path: &Path) -> Option<SessionHistory> {
    let history = SessionHistory::parse(&std::fs::read(path).ok()?)?;
    if history.skipped_lines > 0 {
        tracing::warn!(path = %path.display(), lines = history.skipped_lines, "unreadable lines in a session file");
    }
    Some(history)
}

pub fn milliseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn read_stored(path: &Path, modified: SystemTime) -> Option<StoredSession> {
    let history = read_history(path).filter(|history| !history.id.is_empty())?;
    Some(StoredSession {
        title: history.title(),
        state: history.resting_state(),
        id: history.id,
        cwd: history.cwd,
        path: path.to_owned(),
        modified: milliseconds(modified),
    })
}

fn session_paths(folder: &Path) -> Vec<PathBuf> {
    let entries =
        |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = entries(folder)
        .filter(|path| path.is_dir())
        .flat_map(|project| entries(&project).collect::<Vec<_>>());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, id: &str, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let header = serde_json::json!({"type": "session", "version": 3, "id": id, "cwd": "/p"});
        let entry =
            serde_json::json!({"type": "message", "id": "a", "message": {"role": "user", "content": text}});
        std::fs::write(path, format!("{header}\n{entry}\n")).unwrap();
    }

    #[test]
    fn lists_sessions_and_follows_changes() {
        let agent = tempfile::tempdir().unwrap();
        let path = agent.path().join("sessions/--p--/t_1.jsonl");
        write(&path, "s1", "Hello");
        std::fs::write(agent.path().join("sessions/--p--/junk.jsonl"), "not a session").unwrap();
        let mut files = SessionFiles::default();
        let listed = files.list(agent.path());
        assert_eq!(listed.iter().map(|session| session.title.as_str()).collect::<Vec<_>>(), ["Hello"]);

        write(&path, "s1", "Hello, changed");
        assert_eq!(files.list(agent.path())[0].title, "Hello, changed");
        std::fs::remove_file(&path).unwrap();
        assert_eq!(files.list(agent.path()), []);
    }

    #[test]
    fn a_folder_that_does_not_exist_has_no_sessions() {
        assert_eq!(SessionFiles::default().list(Path::new("/nonexistent/agent")), []);
    }
}

// ---- interim
use crate::blobs::Blobs;
use crate::store::Extra;
use pilothouse_core::MessageController;
use pilothouse_core::message::Message;

pub fn now() -> u64 {
    milliseconds(SystemTime::now())
}

#[derive(Debug)]
pub struct Scanned {
    path: PathBuf,
    history: SessionHistory,
}

#[derive(Debug)]
pub struct HistoryFile {
    scanned: Scanned,
    tail: MessageController,
}

#[derive(Debug)]
pub enum Followed {
    Appended(Vec<Message>),
    Replaced,
}

impl Scanned {
    pub fn has_message(&self, at: u64) -> bool {
        self.history.messages.iter().any(|message| match message {
            Message::User { timestamp, .. } | Message::Assistant { timestamp, .. } => *timestamp == Some(at),
            _ => false,
        })
    }
    pub fn user_messages_since(&self, at: u64) -> Vec<(u64, String)> {
        self.history
            .messages
            .iter()
            .filter_map(|message| match message {
                Message::User { timestamp: Some(timestamp), content, .. } if *timestamp >= at => {
                    Some((*timestamp, content.text()))
                }
                _ => None,
            })
            .collect()
    }
    pub fn fold(self, extras: &[Extra], blobs: &Blobs) -> HistoryFile {
        let mut messages = self.history.messages.clone();
        messages.iter_mut().for_each(|message| blobs.take_from_message(message));
        let mut tail = MessageController::load_messages_from_history(messages);
        for event in extras.iter().flat_map(|extra| extra.events.clone()) {
            tail.handle_server_event(event);
        }
        HistoryFile { scanned: self, tail }
    }
}

impl HistoryFile {
    pub fn scan(path: &Path) -> Option<Scanned> {
        Some(Scanned { path: path.to_owned(), history: read_history(path)? })
    }
    pub fn tail(&self) -> &MessageController {
        &self.tail
    }
    pub fn resting_state(&self) -> SessionState {
        self.scanned.history.resting_state()
    }
    pub fn title(&self) -> String {
        self.scanned.history.title()
    }
    pub fn thinking_level(&self) -> Option<&str> {
        self.scanned.history.thinking_level.as_deref()
    }
    pub fn has_message(&self, at: u64) -> bool {
        self.scanned.has_message(at)
    }
    pub fn entry_of_user_row(&self, _row: usize) -> Option<String> {
        None
    }
    pub fn row_of_entry(&self, _entry: &str) -> Option<usize> {
        None
    }
    pub fn follow(&mut self) -> std::io::Result<Followed> {
        let Some(history) = read_history(&self.scanned.path) else { return Ok(Followed::Replaced) };
        let known = self.scanned.history.messages.len();
        let appended = history.messages.get(known..).unwrap_or_default().to_vec();
        let same = history.messages.get(..known) == Some(&self.scanned.history.messages[..]);
        self.scanned.history = history;
        Ok(if same { Followed::Appended(appended) } else { Followed::Replaced })
    }
}
