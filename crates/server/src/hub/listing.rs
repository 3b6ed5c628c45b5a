//! The list of sessions, made from the agents' own files and kept as they are.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use pilothouse_core::SessionState;
use pilothouse_core::SessionState::{Completed, Idle, Stopped};
use pilothouse_core::protocol::{ServerFrame, SessionSummary};

use super::{Entry, Hub, broadcast};
use crate::history::files::Rescan;
use crate::history::watch::{self, WatchEvent};
use crate::session::Input;

impl Hub {
    /// Looks at the agents' session files again. Sessions that run know more than their file and are left alone.
    /// Where the files are watched, only what may be on its way is looked at.
    pub async fn refresh(self: &Arc<Self>) {
        let hub = self.clone();
        let watched = self.watched.get().is_some_and(|watched| watched.load(Ordering::Relaxed));
        let rescan = if watched { Rescan::Missed } else { Rescan::All };
        let _ = tokio::task::spawn_blocking(move || hub.read_files(rescan)).await;
    }

    /// From now on the list follows the files by itself, as long as there is a hub.
    pub fn watch_files(self: &Arc<Self>) {
        let folders: HashSet<PathBuf> =
            self.agents.iter().map(|agent| agent.folder.join("sessions")).collect();
        let hub = Arc::downgrade(self);
        let watched = watch::start(folders.into_iter().collect(), move |told| {
            let Some(hub) = hub.upgrade() else { return false };
            match told {
                WatchEvent::Paths(paths) if paths.is_empty() => {}
                WatchEvent::Paths(paths) => hub.read_files(Rescan::Paths(&paths)),
                WatchEvent::Everything => hub.read_files(Rescan::All),
                WatchEvent::Unwatched if hub.state().pages.is_empty() => {}
                WatchEvent::Unwatched => hub.read_files(Rescan::All),
            }
            true
        });
        match watched {
            Ok(watched) => drop(self.watched.set(watched)),
            Err(error) => tracing::warn!(%error, "session files are looked at only when a page asks"),
        }
    }

    fn has_file(&self, entry: &mut Entry, file: PathBuf) {
        entry.file = Some(file);
        if entry.record.created > 0 {
            entry.record.read_at = entry.record.read_at.max(entry.record.created);
            entry.record.created = 0;
            self.store.file_seen(&entry.record.id);
        }
    }

    fn read_files(&self, rescan: Rescan<'_>) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let mut read = HashSet::new();
        for agent in &self.agents {
            // Two agents may share a folder; its sessions belong to the first.
            if !read.insert(&agent.folder) {
                continue;
            }
            let files = files.entry(agent.name.clone()).or_default();
            let mut stored = files.rescan(&agent.folder, rescan);
            let mut state = self.state();
            let is_missing = |entry: &Entry| {
                entry.agent.folder == agent.folder
                    && entry.file.as_ref().is_some_and(|file| !files.contains(file))
                    && entry.is_gone()
            };
            let mut gone: HashSet<String> = HashSet::new();
            gone.extend(
                state.sessions.iter().filter(|(_, entry)| is_missing(entry)).map(|(id, _)| id.clone()),
            );
            // A task that nobody can reach any more ends, and its agent with it.
            gone.iter().for_each(|id| drop(state.sessions.remove(id)));
            if !gone.is_empty() {
                // Another file may have the same session.
                stored.extend(files.sessions().filter(|session| gone.contains(&session.id)).cloned());
            }
            let mut changed = Vec::new();
            let state = &mut *state;
            for session in stored {
                self.search.note(&session.id, &session.path, &session.title);
                let known = state.sessions.get_mut(&session.id);
                let owner = known.as_ref().map_or(agent, |entry| &entry.agent);
                // Its file does not tell that something was left undone in it.
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
                        self.has_file(entry, session.path.clone());
                        // One that has too much to do looks at its file when its own agent rests.
                        if let Some(inputs) = &entry.inputs {
                            let _ = inputs.try_send(Input::FileChanged { file: session.path });
                        }
                    }
                    Some(entry) => {
                        self.has_file(entry, session.path);
                        if entry.summary != summary {
                            entry.summary = summary;
                            changed.push(entry.shown());
                        }
                    }
                    None => {
                        let record = state.records.remove(&session.id).unwrap_or_default();
                        let mut entry = Entry::new(summary, record, agent.clone(), None);
                        self.has_file(&mut entry, session.path);
                        changed.push(entry.shown());
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
