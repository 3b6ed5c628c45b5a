//! The agents on offer, as far as they are known.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use pilothouse_core::limits::VERSION_PROBE_SECONDS;
use pilothouse_core::protocol::{AgentInfo, ServerFrame};

use super::{Hub, HubState, broadcast};
use crate::agent::catalogue::Agent;
use crate::agent::discovery::{self, Found};
use crate::agent::orphans;

impl Hub {
    pub(super) fn agent_infos(&self, state: &HubState) -> Vec<AgentInfo> {
        let unknown = Found::default();
        let found = |agent: &Agent| state.found.get(&agent.name).unwrap_or(&unknown).clone();
        self.agents.iter().map(|agent| agent.info(&found(agent))).collect()
    }

    /// It is of the generation before 1.0.
    pub fn is_old(&self, agent: &str) -> bool {
        let demo = self.agents.iter().any(|known| known.demo && known.name == agent);
        let state = self.state();
        let version = state.found.get(agent).and_then(|found| found.version.as_deref());
        !demo && version.is_some_and(|version| version.starts_with("0."))
    }

    /// Waits until it is known which version a session's agent is: it decides how it is started.
    pub async fn know_agent(&self, session: &str) {
        let known = || {
            let state = self.state();
            let agent = state.sessions.get(session).map(|entry| &entry.agent);
            // One that has a file is started by it, whatever its version.
            let stored = state.sessions.get(session).is_some_and(|entry| entry.file.is_some());
            stored || agent.is_none_or(|agent| agent.demo || state.found.contains_key(&agent.name))
        };
        let waiting = async {
            loop {
                let looked = self.looked.notified();
                if known() {
                    return;
                }
                looked.await;
            }
        };
        let _ = tokio::time::timeout(Duration::from_secs(VERSION_PROBE_SECONDS), waiting).await;
    }

    /// Finds out about the agents, in the background; about those again that had a problem.
    pub fn look_at_agents(self: &Arc<Self>) {
        for agent in &self.agents {
            let known = self.state().found.get(&agent.name).is_some_and(|found| found.problem.is_none());
            if known
                || !self.looking.lock().unwrap_or_else(PoisonError::into_inner).insert(agent.name.clone())
            {
                continue;
            }
            let (hub, agent) = (self.clone(), agent.clone());
            let mark = orphans::mark(&self.installation, &format!("visit-{}", agent.name));
            tokio::spawn(async move {
                let found = discovery::look_at(&agent, &hub.default_cwd, &mark).await;
                hub.looking.lock().unwrap_or_else(PoisonError::into_inner).remove(&agent.name);
                let mut state = hub.state();
                if state.found.insert(agent.name.clone(), found.clone()).as_ref() != Some(&found) {
                    let agents = hub.agent_infos(&state);
                    broadcast(&mut state, &ServerFrame::AgentsChanged { agents });
                }
                hub.looked.notify_waiters();
            });
        }
    }
}
