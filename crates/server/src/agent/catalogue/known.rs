//! The agents that Pilothouse knows, as data.

use std::ffi::OsStr;
use std::path::Path;

use pilothouse_core::protocol::AvailableAgent;
use serde::Deserialize;

use super::{Agent, find_program};

/// A known agent, whether it is on this machine or not.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownAgent {
    pub name: String,
    pub title: String,
    pub protocol: String,
    pub command: Vec<String>,
    pub install: String,
    pub needs: String,
    pub link: String,
    /// What the agent may write to in a sandbox.
    pub state: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownAgents {
    agent: Vec<KnownAgent>,
}

/// All known agents, in the order in which they are listed.
pub fn known_agents() -> Vec<KnownAgent> {
    let file: Result<KnownAgents, _> = toml::from_str(include_str!("known_agents.toml"));
    match file {
        Ok(file) => file.agent,
        Err(error) => {
            tracing::error!(%error, "the list of known agents is invalid");
            Vec::new()
        }
    }
}

/// The known agent that a command starts, if there is one.
pub(super) fn known_by_program(program: &str) -> Option<KnownAgent> {
    let name = |program: &str| Path::new(program).file_name().map(OsStr::to_owned);
    known_agents().into_iter().find(|known| {
        known
            .command
            .first()
            .is_some_and(|command| name(command).is_some_and(|own| Some(own) == name(program)))
    })
}

impl KnownAgent {
    /// The agent, if its program is on the PATH. Reads the disk.
    pub(super) fn installed(&self) -> Option<Agent> {
        find_program(self.command.first()?)?;
        let agent = Agent::from_words(&self.name, &self.protocol, self.command.clone()).ok()?;
        Some(Agent { title: self.title.clone(), ..agent })
    }

    pub fn available(&self) -> AvailableAgent {
        AvailableAgent {
            name: self.name.clone(),
            title: self.title.clone(),
            install: self.install.clone(),
            needs: self.needs.clone(),
            link: self.link.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_complete_and_unique() {
        let known = known_agents();
        assert!(known.len() >= 13);
        for (index, agent) in known.iter().enumerate() {
            assert!(
                Agent::from_words(&agent.name, &agent.protocol, agent.command.clone()).is_ok(),
                "{agent:?}"
            );
            assert!(
                !agent.title.is_empty() && !agent.install.is_empty() && !agent.needs.is_empty(),
                "{agent:?}"
            );
            assert!(agent.link.starts_with("https://"), "{agent:?}");
            assert!(agent.state.iter().all(|path| path.starts_with("~/")), "{agent:?}");
            assert!(!agent.state.is_empty(), "{agent:?}");
            assert!(
                known[..index].iter().all(|other| other.name != agent.name),
                "{} is listed twice",
                agent.name
            );
        }
        for name in [
            "pi", "claude", "codex", "gemini", "opencode", "kilo", "qwen", "goose", "kimi", "copilot",
            "cursor", "auggie", "cline",
        ] {
            assert!(known.iter().any(|agent| agent.name == name), "{name}");
        }
    }
}
