//! Sessions that are created here, and those of an earlier run of the server that have no file yet.

use std::collections::HashSet;
use std::path::PathBuf;

use pilothouse_core::SessionState;
use pilothouse_core::limits::UNUSED_SESSION_DAYS;
use pilothouse_core::protocol::{CommandError, ErrorCode, ServerFrame, SessionSummary};

use super::{Hub, SessionEntry, broadcast};
use crate::clock::now_ms;
use crate::store::{SessionRecord, Write};

impl Hub {
    /// Creates a session. It is listed at once; its agent is started by the first prompt.
    pub async fn new_session(&self, agent: &str, cwd: PathBuf) -> Result<String, CommandError> {
        let id = uuid::Uuid::now_v7().to_string();
        self.add_session(&id, agent, cwd).await?;
        Ok(id)
    }

    /// Adds a session that has no file yet, or whose file was not seen yet.
    pub async fn add_session(&self, id: &str, agent: &str, cwd: PathBuf) -> Result<(), CommandError> {
        let agent = self
            .agents
            .iter()
            .find(|offered| offered.name == agent)
            .ok_or_else(|| CommandError::invalid(format!("There is no agent named '{agent}'.")))?;
        if !tokio::fs::metadata(&cwd).await.is_ok_and(|metadata| metadata.is_dir()) {
            let text = format!("The folder {} doesn't exist.", cwd.display());
            return Err(CommandError::new(ErrorCode::Gone, text));
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
        self.store.write(vec![Write::AddSession(record.clone())]).result().await?;
        let entry = SessionEntry::new(summary, record, agent.clone(), None);
        let mut state = self.state();
        // Its file may have been listed in the meantime.
        let listed = state.sessions.entry(id.to_owned()).or_insert(entry);
        if listed.file.is_some() {
            self.store.submit(vec![Write::SessionHasFile { session: id.to_owned() }]);
        }
        let changed = vec![listed.summary()];
        broadcast(&mut state, &ServerFrame::SessionsChanged { changed, removed: Vec::new() });
        Ok(())
    }

    /// Lists sessions with unfinished work, and sessions created recently, even if the agent has no file for them yet.
    pub(super) fn load_records(&self) {
        let unfinished: HashSet<String> = self.store.unfinished_sessions().into_iter().collect();
        let oldest = now_ms().saturating_sub(UNUSED_SESSION_DAYS * 24 * 60 * 60 * 1_000);
        let mut state = self.state();
        for record in self.store.sessions() {
            let agent = self.agents.iter().find(|agent| agent.name == record.agent);
            let is_unfinished = unfinished.contains(&record.id);
            // `created` is 0 once the session has a file: then it is listed as long as the file exists.
            let is_listed = is_unfinished || !record.draft.trim().is_empty() || record.created > oldest;
            match agent {
                Some(agent) if is_listed => {
                    let summary = SessionSummary {
                        id: record.id.clone(),
                        agent: record.agent.clone(),
                        cwd: record.cwd.clone(),
                        state: if is_unfinished { SessionState::Paused } else { SessionState::Idle },
                        modified: record.created,
                        ..SessionSummary::default()
                    };
                    let entry = SessionEntry::new(summary, record, agent.clone(), None);
                    state.sessions.insert(entry.record.id.clone(), entry);
                }
                _ => drop(state.records.insert(record.id.clone(), record)),
            }
        }
        state.unfinished = unfinished;
    }
}
