//! Sessions that are created here, and those of an earlier run of the server that have no file yet.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use pilothouse_core::SessionState;
use pilothouse_core::limits::UNUSED_SESSION_DAYS;
use pilothouse_core::protocol::{CommandError, ErrorCode, ServerFrame, SessionSummary};

use super::{Hub, SessionEntry, broadcast};
use crate::clock::now_ms;
use crate::session::Input;
use crate::store::{SessionRecord, Write};

fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}

impl Hub {
    /// Creates a session, which is listed at once. An agent that reports its settings only for a session is started;
    /// others are started by the first prompt.
    pub async fn new_session(self: &Arc<Self>, agent: &str, cwd: PathBuf) -> Result<String, CommandError> {
        let id = new_id();
        self.add_session(&id, agent, cwd).await?;
        if self.agent(agent)?.is_recorded() {
            self.send(&id, Input::Prepare).await.map_err(|_| CommandError::no_such_session())?;
        }
        Ok(id)
    }

    /// Continues a session that only its agent knows. Its conversation is loaded once and recorded here.
    pub async fn import_session(
        self: &Arc<Self>,
        agent: &str,
        cwd: PathBuf,
        agent_session: String,
        title: String,
    ) -> Result<String, CommandError> {
        let _one_at_a_time = self.imports.lock().await;
        let listed = self.state().sessions.values().find_map(|entry| {
            let is_same = entry.agent.name == agent && entry.is_agent_session(&agent_session);
            is_same.then(|| entry.summary.id.clone())
        });
        if let Some(id) = listed {
            return Ok(id);
        }
        let id = new_id();
        self.add_session(&id, agent, cwd).await?;
        if let Some(entry) = self.state().sessions.get_mut(&id) {
            entry.import = Some(agent_session.clone());
        }
        let input = Input::Import { agent_session, title };
        match self.send(&id, input).await {
            Ok(()) => Ok(id),
            Err(_) => Err(CommandError::no_such_session()),
        }
    }

    /// Adds a session that has no file yet, or whose file was not seen yet.
    pub async fn add_session(&self, id: &str, agent: &str, cwd: PathBuf) -> Result<(), CommandError> {
        let agent = self.agent(agent)?;
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
            auto_approve: self.store.folder_auto_approve(&summary.cwd),
            ..SessionRecord::default()
        };
        self.store.write(vec![Write::AddSession(record.clone())]).result().await?;
        let entry = SessionEntry::new(summary, record, agent, None);
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
        let agents = self.agents();
        let capabilities = self.store.agent_capabilities();
        let notices = self.store.notices();
        let mut state = self.state();
        state.capabilities = capabilities;
        state.storage_notice = (!notices.is_empty()).then(|| notices.join(" "));
        for record in self.store.sessions() {
            let agent = agents.iter().find(|agent| agent.name == record.agent);
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
