//! The versions and problems of the offered agents.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use pilothouse_core::limits::VERSION_PROBE_SECONDS;
use pilothouse_core::protocol::{AgentInfo, ServerFrame};

use super::{Hub, HubState, broadcast};
use crate::agent::catalogue::Agent;
use crate::agent::discovery::{Discovered, discover};
use crate::agent::orphans;

impl Hub {
    pub(super) fn agent_infos(&self, state: &HubState) -> Vec<AgentInfo> {
        let unknown = Discovered::default();
        let discovered = |agent: &Agent| state.discovered.get(&agent.name).unwrap_or(&unknown).clone();
        self.agents.iter().map(|agent| agent.info(&discovered(agent))).collect()
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
            entry.file.is_some() || entry.agent.demo || state.discovered.contains_key(&entry.agent.name)
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
        for agent in &self.agents {
            let is_known =
                self.state().discovered.get(&agent.name).is_some_and(|found| found.problem.is_none());
            let mut discovering = self.discovering.lock().unwrap_or_else(PoisonError::into_inner);
            if is_known || !discovering.insert(agent.name.clone()) {
                continue;
            }
            let (hub, agent) = (self.clone(), agent.clone());
            let mark = orphans::mark(&self.installation, &format!("probe-{}", agent.name));
            tokio::spawn(async move {
                let found = discover(&agent, &hub.default_cwd, &mark).await;
                hub.discovering.lock().unwrap_or_else(PoisonError::into_inner).remove(&agent.name);
                let mut state = hub.state();
                if state.discovered.insert(agent.name.clone(), found.clone()).as_ref() != Some(&found) {
                    let agents = hub.agent_infos(&state);
                    broadcast(&mut state, &ServerFrame::AgentsChanged { agents });
                }
                drop(state);
                hub.discovered.notify_waiters();
            });
        }
    }
}
