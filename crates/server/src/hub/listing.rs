//! The list of sessions, read from the agents' session files and kept up to date.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use pilothouse_core::SessionState;
use pilothouse_core::SessionState::{Completed, Idle, Stopped};
use pilothouse_core::protocol::{ServerFrame, SessionSummary};

use super::{Hub, SessionEntry, broadcast};
use crate::history::files::Rescan;
use crate::history::watch::{self, WatchEvent};
use crate::session::Input;
use crate::store::Write;

impl Hub {
    /// Reads the agents' session files again. Open sessions know more than their file and are only notified. Where the
    /// files are watched, only changes that may not be reported yet are looked for.
    pub async fn refresh(self: &Arc<Self>) {
        let hub = self.clone();
        let watched = self.watched.get().is_some_and(|watched| watched.load(Ordering::Relaxed));
        let rescan = if watched { Rescan::Missed } else { Rescan::All };
        let _ = tokio::task::spawn_blocking(move || hub.read_files(rescan)).await;
    }

    /// Follows the files from now on, as long as the hub exists.
    pub fn watch_files(self: &Arc<Self>) {
        let folders: HashSet<PathBuf> = self.agents.iter().map(|agent| agent.session_folder()).collect();
        let hub = Arc::downgrade(self);
        let watched = watch::start(folders.into_iter().collect(), move |told| {
            let Some(hub) = hub.upgrade() else { return false };
            match told {
                WatchEvent::Paths(paths) if paths.is_empty() => {}
                WatchEvent::Paths(paths) => hub.read_files(Rescan::Paths(&paths)),
                WatchEvent::Everything => hub.read_files(Rescan::All),
                WatchEvent::Unwatched if hub.state().clients.is_empty() => {}
                WatchEvent::Unwatched => hub.read_files(Rescan::All),
            }
            true
        });
        match watched {
            Ok(watched) => drop(self.watched.set(watched)),
            Err(error) => {
                tracing::warn!(%error, "session files cannot be watched; they are read when a client asks")
            }
        }
    }

    fn set_file(&self, entry: &mut SessionEntry, file: PathBuf) {
        entry.file = Some(file);
        if entry.record.created > 0 {
            entry.record.read_at = entry.record.read_at.max(entry.record.created);
            entry.record.created = 0;
            self.store.submit(vec![Write::SessionHasFile { session: entry.record.id.clone() }]);
        }
    }

    fn read_files(&self, rescan: Rescan<'_>) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let mut read = HashSet::new();
        for agent in &self.agents {
            // Two agents may share a folder: its sessions belong to the first.
            if !read.insert(&agent.folder) {
                continue;
            }
            let files = files.entry(agent.name.clone()).or_default();
            let mut stored = files.rescan(&agent.folder, rescan);
            let mut state = self.state();
            let is_missing = |entry: &SessionEntry| {
                !entry.deleting
                    && entry.agent.folder == agent.folder
                    && entry.file.as_ref().is_some_and(|file| !files.contains(file))
                    && entry.is_gone()
            };
            let mut gone: HashSet<String> = HashSet::new();
            gone.extend(
                state.sessions.iter().filter(|(_, entry)| is_missing(entry)).map(|(id, _)| id.clone()),
            );
            // Dropping the entry ends the session's task and its agent.
            gone.iter().for_each(|id| drop(state.sessions.remove(id)));
            if !gone.is_empty() {
                // Another file may contain the same session.
                stored.extend(files.sessions().filter(|session| gone.contains(&session.id)).cloned());
            }
            let mut changed = Vec::new();
            let state = &mut *state;
            for session in stored {
                self.search.note(&session.id, &session.path, &session.title);
                let known = state.sessions.get_mut(&session.id);
                let owner = known.as_ref().map_or(agent, |entry| &entry.agent);
                // The file does not show that something was left unfinished.
                let rests = matches!(session.state, Idle | Completed | Stopped);
                let undone = rests && state.unfinished.contains(&session.id);
                let summary = SessionSummary {
                    id: session.id.clone(),
                    agent: owner.name.clone(),
                    cwd: session.cwd,
                    title: session.title,
                    state: if undone { SessionState::Paused } else { session.state },
                    modified: session.modified,
                    ..SessionSummary::default()
                };
                match known {
                    Some(entry) if entry.is_open() => {
                        self.set_file(entry, session.path.clone());
                        // A session with a full queue checks its file when its agent rests.
                        if let Some(inputs) = &entry.inputs {
                            let _ = inputs.try_send(Input::FileChanged { file: session.path });
                        }
                    }
                    Some(entry) => {
                        self.set_file(entry, session.path);
                        if entry.summary != summary {
                            entry.summary = summary;
                            changed.push(entry.summary());
                        }
                    }
                    None => {
                        let record = state.records.remove(&session.id).unwrap_or_default();
                        let mut entry = SessionEntry::new(summary, record, agent.clone(), None);
                        self.set_file(&mut entry, session.path);
                        changed.push(entry.summary());
                        state.sessions.insert(session.id, entry);
                    }
                }
            }
            if !changed.is_empty() || !gone.is_empty() {
                gone.retain(|id| !state.sessions.contains_key(id));
                gone.iter().for_each(|id| self.search.forget(id));
                let removed = gone.into_iter().collect();
                broadcast(state, &ServerFrame::SessionsChanged { changed, removed });
            }
        }
    }
}
