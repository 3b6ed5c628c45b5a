//! The list of sessions, read from the agents' session files and kept up to date.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

use pilothouse_core::SessionState;
use pilothouse_core::SessionState::{Completed, Idle, Stopped};
use pilothouse_core::protocol::{ServerFrame, SessionSummary};

use super::elsewhere::SCAN_INTERVAL;
use super::{Hub, SessionEntry, broadcast};
use crate::agent::catalogue::Agent;
use crate::history::files::{Rescan, SessionFiles};
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
        let read = move || {
            hub.read_files(rescan);
            hub.update_rows(SCAN_INTERVAL);
        };
        let _ = tokio::task::spawn_blocking(read).await;
    }

    /// Follows the files from now on, as long as the hub exists.
    pub fn watch_files(self: &Arc<Self>) {
        let folders: HashSet<PathBuf> = self.agents().iter().map(|agent| agent.session_folder()).collect();
        if let Some(watched) = self.watch_folders(folders.into_iter().collect()) {
            let _ = self.watched.set(watched);
        }
    }

    /// Follows the files in these folders. Returns whether every change is reported, which may change.
    pub(super) fn watch_folders(self: &Arc<Self>, mut folders: Vec<PathBuf>) -> Option<Arc<AtomicBool>> {
        let hub = Arc::downgrade(self);
        let mut watched = self.watched_folders.lock().unwrap_or_else(PoisonError::into_inner);
        folders.retain(|folder| watched.insert(folder.clone()));
        drop(watched);
        if folders.is_empty() {
            return None;
        }
        let watched = watch::start(folders, move |event| {
            let Some(hub) = hub.upgrade() else { return false };
            match event {
                WatchEvent::Paths(paths) if paths.is_empty() => {}
                WatchEvent::Paths(paths) => hub.read_files(Rescan::Paths(&paths)),
                WatchEvent::Everything => hub.read_files(Rescan::All),
                WatchEvent::Unwatched if hub.state().clients.is_empty() => {}
                WatchEvent::Unwatched => hub.read_files(Rescan::All),
            }
            true
        });
        watched
            .inspect_err(|error| {
                tracing::warn!(%error, "session files cannot be watched; they are read when a client asks");
            })
            .ok()
    }

    fn set_file(&self, entry: &mut SessionEntry, file: PathBuf) {
        entry.file = Some(file);
        if entry.record.created > 0 {
            entry.record.read_at = entry.record.read_at.max(entry.record.created);
            entry.record.created = 0;
            self.store.submit(vec![Write::SessionHasFile { session: entry.record.id.clone() }]);
        }
    }

    pub(super) fn read_files(&self, rescan: Rescan<'_>) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let mut read = HashSet::new();
        let mut has_changed = false;
        let agents = self.agents();
        for agent in &agents {
            // Two agents may share a folder: its sessions belong to the first.
            if !read.insert(&agent.folder) {
                continue;
            }
            let files = files.entry(agent.name.clone()).or_default();
            let mut stored = files.rescan(&agent.session_folder(), rescan);
            let gone = self.remove_sessions_without_file(agent, files);
            let mut state = self.state();
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
                    // Found out below.
                    external_writer: known.as_ref().is_some_and(|entry| entry.summary.external_writer),
                    ..SessionSummary::default()
                };
                match known {
                    Some(entry) if entry.is_open() => {
                        entry.turn = session.last_turn;
                        (entry.agent_session, entry.import) = (session.agent_session, session.import);
                        self.set_file(entry, session.path.clone());
                        // A session whose queue is full checks its file when the agent's run ends.
                        if let Some(inputs) = &entry.inputs {
                            let _ = inputs.try_send(Input::FileChanged { file: session.path });
                        }
                    }
                    Some(entry) => {
                        entry.turn = session.last_turn;
                        (entry.agent_session, entry.import) = (session.agent_session, session.import);
                        self.set_file(entry, session.path);
                        if entry.summary != summary {
                            entry.summary = summary;
                            changed.push(entry.summary());
                        }
                    }
                    None => {
                        let record = state.records.remove(&session.id).unwrap_or_default();
                        let mut entry = SessionEntry::new(summary, record, agent.clone(), None);
                        entry.turn = session.last_turn;
                        (entry.agent_session, entry.import) = (session.agent_session, session.import);
                        self.set_file(&mut entry, session.path);
                        changed.push(entry.summary());
                        state.sessions.insert(session.id, entry);
                    }
                }
            }
            has_changed |= !changed.is_empty();
            if !changed.is_empty() || !gone.is_empty() {
                let is_removed = |id: &String| !state.sessions.contains_key(id);
                let removed: Vec<String> = gone.into_iter().filter(is_removed).collect();
                removed.iter().for_each(|id| self.search.forget(id));
                broadcast(state, &ServerFrame::SessionsChanged { changed, removed });
            }
        }
        drop(files);
        // Sessions that are open look themselves.
        if has_changed {
            self.update_rows(SCAN_INTERVAL);
        }
    }

    /// Removes the sessions whose file is gone and returns their ids. The disk is read without the hub's lock.
    /// Records are kept, so that a session whose file returns still has its pin and its draft.
    fn remove_sessions_without_file(&self, agent: &Agent, files: &SessionFiles) -> HashSet<String> {
        // If the whole data folder is gone, sessions stay listed: it may come back.
        if agent.folder.starts_with(&self.data_folder) && self.store.folder().check().is_err() {
            return HashSet::new();
        }
        let is_unlisted = |entry: &SessionEntry| {
            let is_listed = || match &entry.file {
                Some(file) => files.contains(file),
                None => files.sessions().any(|session| session.id == entry.summary.id),
            };
            entry.agent.folder == agent.folder && !entry.needs_no_file() && !is_listed()
        };
        let unlisted: Vec<(String, bool, Option<PathBuf>)> = {
            let state = self.state();
            let unlisted = state.sessions.iter().filter(|(_, entry)| is_unlisted(entry));
            unlisted.map(|(id, entry)| (id.clone(), entry.is_open(), entry.file.clone())).collect()
        };
        // The file of an open session may be new, or not readable as a session yet.
        let is_gone = |is_open: bool, file: &Option<PathBuf>| {
            !is_open || !file.as_ref().is_some_and(|file| file.exists())
        };
        let gone: Vec<String> = unlisted
            .into_iter()
            .filter(|(_, is_open, file)| is_gone(*is_open, file))
            .map(|(id, ..)| id)
            .collect();
        let mut state = self.state();
        let mut removed = HashSet::new();
        for id in gone {
            // It may have been opened, or given a file, meanwhile.
            if state.sessions.get(&id).is_some_and(is_unlisted)
                && let Some(entry) = state.sessions.remove(&id)
            {
                // Dropping the entry ends the session's task and its agent.
                state.records.insert(id.clone(), entry.record);
                removed.insert(id);
            }
        }
        removed
    }
}
