//! The offered agents: their versions and problems, those that are found later, and those that the user adds.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use pilothouse_agents::{Reply, Request};
use pilothouse_core::limits::{LISTED_AGENT_SESSIONS, PROBE_SECONDS, VERSION_PROBE_SECONDS};
use pilothouse_core::protocol::{
    AgentInfo, AgentSession, AgentSessions, AvailableAgent, Capabilities, CommandError, ErrorCode,
    ServerFrame,
};
use serde::{Deserialize, Serialize};

use super::{Hub, HubState, broadcast};
use crate::agent::catalogue::{Agent, KnownAgent, known_agents};
use crate::agent::discovery::{Discovered, discover};
use crate::agent::{orphans, probe};
use crate::store::Write as StoreWrite;

/// The file with the agents that the user added, below the data folder.
pub const CUSTOM_AGENTS: &str = "agents.json";

/// An agent that the user added in the page.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct CustomAgent {
    name: String,
    command: String,
}

/// Reads the agents that the user added. A damaged file is moved aside, so that it is not overwritten.
pub fn custom_agents(data_folder: &Path) -> Vec<Agent> {
    let path = data_folder.join(CUSTOM_AGENTS);
    let Ok(file) = std::fs::read(&path) else { return Vec::new() };
    let agents = serde_json::from_slice::<Vec<CustomAgent>>(&file).unwrap_or_else(|error| {
        let aside = path.with_extension("damaged.json");
        tracing::warn!(%error, "the list of added agents can't be read; it is moved to {}", aside.display());
        let _ = std::fs::rename(&path, aside);
        Vec::new()
    });
    let build = |agent: CustomAgent| Agent::new(&agent.name, "acp", &agent.command).ok();
    agents.into_iter().filter_map(build).map(|agent| Agent { custom: true, ..agent }).collect()
}

impl Hub {
    pub(super) fn agent_infos(&self, state: &HubState) -> Vec<AgentInfo> {
        let unknown = Discovered::default();
        let discovered = |agent: &Agent| state.discovered.get(&agent.name).unwrap_or(&unknown).clone();
        self.agents().iter().map(|agent| agent.info(&discovered(agent))).collect()
    }

    /// The known agents that are not offered.
    pub(super) fn available_agents(&self) -> Vec<AvailableAgent> {
        let agents = self.agents();
        let known = known_agents().into_iter();
        let missing = known.filter(|known| !agents.iter().any(|agent| agent.name == known.name));
        missing.map(|known| KnownAgent::available(&known)).collect()
    }

    pub fn agents(&self) -> Vec<Arc<Agent>> {
        self.agents.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn agent(&self, name: &str) -> Result<Arc<Agent>, CommandError> {
        let agent = self.agents().into_iter().find(|offered| offered.name == name);
        agent.ok_or_else(|| CommandError::invalid(format!("There is no agent named '{name}'.")))
    }

    /// Offers agents that were installed since, and checks those that had a problem. Returns when all are discovered, or
    /// after the time that an agent has for it.
    pub async fn check_agents(self: &Arc<Self>) {
        let installed = tokio::task::spawn_blocking(Agent::installed).await.unwrap_or_default();
        for agent in installed {
            self.offer(agent);
        }
        self.broadcast_agents();
        self.discover_agents();
        let all_discovered = async {
            loop {
                let discovered = self.discovered.notified();
                if self.discovering.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
                    return;
                }
                discovered.await;
            }
        };
        let _ = tokio::time::timeout(Duration::from_secs(PROBE_SECONDS), all_discovered).await;
    }

    /// Adds an agent and follows its session files. Returns whether there was none with this name.
    fn offer(self: &Arc<Self>, agent: Agent) -> bool {
        let agent = Arc::new(agent.with_data_folder(&self.data_folder));
        let mut agents = self.agents.write().unwrap_or_else(PoisonError::into_inner);
        if agents.iter().any(|offered| offered.name == agent.name) {
            return false;
        }
        // The built-in agent stays the last.
        let last = agents.iter().position(|offered| offered.demo).unwrap_or(agents.len());
        agents.insert(last, agent.clone());
        drop(agents);
        // Sessions of an agent that was removed, and is added again with another command.
        for entry in self.state().sessions.values_mut().filter(|entry| entry.agent.name == agent.name) {
            entry.agent = agent.clone();
        }
        self.watch_folders(vec![agent.session_folder()]);
        true
    }

    /// Adds an agent of the user's and stores it.
    pub async fn add_agent(self: &Arc<Self>, name: &str, command: &str) -> Result<(), CommandError> {
        let name = name.trim();
        let agent =
            Agent::new(name, "acp", command).map_err(|error| CommandError::invalid(format!("{error:#}.")))?;
        if !self.offer(Agent { custom: true, ..agent }) {
            let text = format!("There is an agent named '{name}' already. Choose another name.");
            return Err(CommandError::new(ErrorCode::Conflict, text));
        }
        if let Err(error) = self.store_custom_agents().await {
            self.withdraw(name);
            return Err(error);
        }
        self.broadcast_agents();
        self.discover_agents();
        // Sessions that were recorded with an agent of this name before are listed again.
        self.refresh().await;
        Ok(())
    }

    /// Removes an agent that the user added. Its sessions stay on disk.
    pub async fn remove_agent(self: &Arc<Self>, name: &str) -> Result<(), CommandError> {
        let agent = self.agent(name)?;
        if !agent.custom {
            return Err(CommandError::invalid(format!("'{name}' was not added here and can't be removed.")));
        }
        self.withdraw(name);
        if let Err(error) = self.store_custom_agents().await {
            self.offer(Agent::clone(&agent));
            return Err(error);
        }
        self.broadcast_agents();
        Ok(())
    }

    fn withdraw(&self, name: &str) {
        self.agents.write().unwrap_or_else(PoisonError::into_inner).retain(|agent| agent.name != name);
        self.state().discovered.remove(name);
    }

    async fn store_custom_agents(&self) -> Result<(), CommandError> {
        // One at a time, so that the newest list is the last that is written.
        let _turn = self.custom_agents.lock().await;
        let custom = self.agents().into_iter().filter(|agent| agent.custom).map(|agent| CustomAgent {
            name: agent.name.clone(),
            command: shell_words::join(&agent.command),
        });
        let text = serde_json::to_vec_pretty(&custom.collect::<Vec<_>>()).unwrap_or_default();
        let (path, folder) = (self.data_folder.join(CUSTOM_AGENTS), self.store.folder().clone());
        let written = tokio::task::spawn_blocking(move || {
            folder.check()?;
            let new = path.with_extension("new");
            let mut options = std::fs::OpenOptions::new();
            // Commands may contain keys.
            let mut file = options.create(true).write(true).truncate(true).mode(0o600).open(&new)?;
            file.write_all(&text)?;
            file.sync_all()?;
            std::fs::rename(new, path)?;
            Ok(folder.check()?)
        });
        let result = written.await.unwrap_or_else(|error| Err(std::io::Error::other(error)));
        result.map_err(|error| {
            CommandError::new(ErrorCode::NotStored, format!("Couldn't store the agent: {error}."))
        })
    }

    /// The sessions that an agent knows and that are not listed here.
    pub async fn agent_sessions(
        &self,
        name: &str,
        cursor: Option<String>,
    ) -> Result<AgentSessions, CommandError> {
        let agent = self.agent(name)?;
        let mark = orphans::mark(&self.installation, &format!("list-{name}"));
        let launch = agent.launch_without_session(&self.default_cwd, mark);
        let failed = |text: String| CommandError::new(ErrorCode::AgentFailed, text);
        match probe::run(&agent, &launch, Request::Sessions { folder: None, cursor }).await.map_err(failed)? {
            Reply::Sessions(mut found) => {
                let mut state = self.state();
                if state.listed_at_agents.len() >= LISTED_AGENT_SESSIONS {
                    state.listed_at_agents.clear();
                }
                let folder_of = |session: &AgentSession| {
                    ((name.to_owned(), session.id.clone()), PathBuf::from(&session.cwd))
                };
                state.listed_at_agents.extend(found.sessions.iter().map(folder_of));
                let is_listed = |id: &str| {
                    let mut entries = state.sessions.values().filter(|entry| entry.agent.name == name);
                    entries.any(|entry| entry.is_agent_session(id))
                };
                found.sessions.retain(|session| !is_listed(&session.id));
                found.sessions.sort_by_key(|session| std::cmp::Reverse(session.modified));
                Ok(found)
            }
            _ => Err(failed("The agent sent an invalid reply. Try again.".to_owned())),
        }
    }

    /// The folder of a session that the agent has listed.
    pub fn folder_at_agent(&self, agent: &str, agent_session: &str) -> Option<PathBuf> {
        self.state().listed_at_agents.get(&(agent.to_owned(), agent_session.to_owned())).cloned()
    }

    /// Deletes the agent's own copy of a session, if it can. A failure is only logged: the session is gone here.
    pub(super) fn delete_agent_session(self: &Arc<Self>, agent: Arc<Agent>, session_id: String) {
        let mark = orphans::mark(&self.installation, &format!("delete-{}", agent.name));
        let launch = agent.launch_without_session(&self.default_cwd, mark);
        let hub = self.clone();
        tokio::spawn(async move {
            let _slot = hub.discovery_slots.acquire().await;
            if let Err(error) = probe::run(&agent, &launch, Request::DeleteSession { session_id }).await {
                tracing::info!(agent = agent.name, error, "the agent did not delete its copy of a session");
            }
        });
    }

    fn broadcast_agents(&self) {
        let available = self.available_agents();
        let mut state = self.state();
        let agents = self.agent_infos(&state);
        broadcast(&mut state, &ServerFrame::AgentsChanged { agents, available });
    }

    /// An agent has introduced itself while it was started for a session.
    pub fn agent_identified(&self, name: &str, title: Option<String>, version: Option<String>) {
        let changed = {
            let mut state = self.state();
            let known = state.discovered.entry(name.to_owned()).or_default();
            let before = known.clone();
            known.title = title;
            known.version = version;
            known.problem = None;
            *known != before
        };
        if changed {
            self.broadcast_agents();
        }
    }

    /// The capabilities that an agent last reported.
    pub fn known_capabilities(&self, agent: &str) -> Option<Capabilities> {
        self.state().capabilities.get(agent).cloned()
    }

    /// Remembers the capabilities that an agent reported, for sessions whose process does not run.
    pub fn set_known_capabilities(&self, agent: &str, capabilities: &Capabilities) {
        let before = self.state().capabilities.insert(agent.to_owned(), capabilities.clone());
        if before.as_ref() != Some(capabilities) {
            let (agent, capabilities) = (agent.to_owned(), capabilities.clone());
            self.store.submit(vec![StoreWrite::SetAgentCapabilities { agent, capabilities }]);
        }
    }

    /// The version that an agent reports, once it is known.
    pub fn agent_version(&self, agent: &str) -> Option<String> {
        self.state().discovered.get(agent)?.version.clone()
    }

    /// Waits until the version of a session's agent is known: how the agent is started depends on it.
    pub async fn wait_for_agent_version(&self, session: &str) {
        let is_known = || {
            let state = self.state();
            let Some(entry) = state.sessions.get(session) else { return true };
            // A session with a file is started by it, whatever the version.
            let depends = !entry.agent.demo && !entry.agent.is_recorded();
            entry.file.is_some() || !depends || state.discovered.contains_key(&entry.agent.name)
        };
        let known = async {
            loop {
                let discovered = self.discovered.notified();
                if is_known() {
                    return;
                }
                discovered.await;
            }
        };
        let _ = tokio::time::timeout(Duration::from_secs(VERSION_PROBE_SECONDS), known).await;
    }

    /// Discovers, in the background, the agents that are not known yet or had a problem.
    pub fn discover_agents(self: &Arc<Self>) {
        for agent in self.agents() {
            let is_known =
                self.state().discovered.get(&agent.name).is_some_and(|found| found.problem.is_none());
            let mut discovering = self.discovering.lock().unwrap_or_else(PoisonError::into_inner);
            if is_known || !discovering.insert(agent.name.clone()) {
                continue;
            }
            let hub = self.clone();
            let mark = orphans::mark(&self.installation, &format!("probe-{}", agent.name));
            tokio::spawn(async move {
                let slot = hub.discovery_slots.acquire().await;
                let found = discover(&agent, &hub.default_cwd, &mark).await;
                drop(slot);
                // It may have been removed in the meantime.
                if hub.agent(&agent.name).is_ok() {
                    let before = hub.state().discovered.insert(agent.name.clone(), found.clone());
                    if before.as_ref() != Some(&found) {
                        hub.broadcast_agents();
                    }
                }
                // Only now: who waits for the end of the discovery expects its result.
                hub.discovering.lock().unwrap_or_else(PoisonError::into_inner).remove(&agent.name);
                hub.discovered.notify_waiters();
            });
        }
    }
}
