//! Sessions that begin here, and those of an earlier life of the server that have no file to be found by.

use std::collections::HashSet;
use std::path::PathBuf;

use pilothouse_core::SessionState;
use pilothouse_core::limits::UNUSED_SESSION_DAYS;
use pilothouse_core::protocol::{ServerFrame, SessionSummary};

use super::{Entry, Hub, broadcast};
use crate::clock::now_ms;
use crate::store::SessionRecord;

impl Hub {
    /// A new session: known at once, its agent is started by the first prompt.
    pub fn new_session(&self, agent: &str, cwd: PathBuf) -> Result<String, String> {
        let id = uuid::Uuid::now_v7().to_string();
        self.add_session(&id, agent, cwd)?;
        Ok(id)
    }

    /// A session that has no file yet, or whose file has not been seen.
    pub fn add_session(&self, id: &str, agent: &str, cwd: PathBuf) -> Result<(), String> {
        let agent = self
            .agents
            .iter()
            .find(|known| known.name == agent)
            .ok_or_else(|| format!("There is no agent '{agent}'."))?;
        if !cwd.is_dir() {
            return Err(format!("The folder {} does not exist.", cwd.display()));
        }
        if self.state().sessions.contains_key(id) {
            return Ok(());
        }
        let summary = SessionSummary {
            id: id.to_owned(),
            agent: agent.name.clone(),
            cwd: cwd.to_string_lossy().into_owned(),
            title: String::new(),
            state: SessionState::Idle,
            modified: now_ms(),
            ..SessionSummary::default()
        };
        let record = SessionRecord {
            id: id.to_owned(),
            agent: agent.name.clone(),
            cwd: summary.cwd.clone(),
            created: summary.modified,
            ..SessionRecord::default()
        };
        self.store
            .add_session(&record)
            .map_err(|error| format!("It could not be written to disk: {error:#}"))?;
        self.insert(Entry::new(summary, record, agent.clone(), None));
        Ok(())
    }

    fn insert(&self, entry: Entry) {
        let mut state = self.state();
        let shown = entry.shown();
        state.sessions.insert(shown.id.clone(), entry);
        broadcast(&mut state, &ServerFrame::SessionsChanged { changed: vec![shown], removed: Vec::new() });
    }

    /// Sessions in which something was left undone have a row, even if the agent has no file for them yet.
    pub(super) fn take_up_records(&self) {
        let unfinished: HashSet<String> = self.store.open_sessions().into_iter().collect();
        let oldest = now_ms().saturating_sub(UNUSED_SESSION_DAYS * 24 * 60 * 60 * 1_000);
        let mut state = self.state();
        for record in self.store.sessions() {
            let agent = self.agents.iter().find(|agent| agent.name == record.agent);
            let undone = unfinished.contains(&record.id) || !record.draft.trim().is_empty();
            // One that was made and has no file yet is still there; one whose file was seen is there as long as that is.
            let wanted = undone || record.created > oldest;
            match agent {
                Some(agent) if wanted => {
                    let summary = SessionSummary {
                        id: record.id.clone(),
                        agent: record.agent.clone(),
                        cwd: record.cwd.clone(),
                        state: if unfinished.contains(&record.id) {
                            SessionState::Paused
                        } else {
                            SessionState::Idle
                        },
                        modified: record.created,
                        ..SessionSummary::default()
                    };
                    let entry = Entry::new(summary, record, agent.clone(), None);
                    state.sessions.insert(entry.record.id.clone(), entry);
                }
                _ => drop(state.records.insert(record.id.clone(), record)),
            }
        }
        state.unfinished = unfinished;
    }
}
