//! The configuration, from the command line and a TOML file. The command line takes precedence.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use pilothouse_core::limits::AGENT_IDLE_MINUTES;
use serde::Deserialize;

use crate::agent::catalogue::{Agent, Protocol};
use crate::cli::ServeArguments;
use crate::hub::custom_agents;

const DEFAULT_LISTEN: &str = "127.0.0.1:4780";

/// The merged configuration.
#[derive(Debug)]
pub struct Config {
    pub listen: SocketAddr,
    pub data_dir: PathBuf,
    /// The folder of new sessions unless the user chooses another one.
    pub cwd: PathBuf,
    pub agents: Vec<Agent>,
    pub allowed_hosts: Vec<String>,
    /// Whether to open a browser once the server is ready.
    pub open: bool,
    /// The time after which the process of an idle agent is ended; `None` for never.
    pub idle: Option<Duration>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ConfigFile {
    listen: Option<String>,
    data_dir: Option<PathBuf>,
    cwd: Option<PathBuf>,
    allowed_hosts: Vec<String>,
    open: Option<bool>,
    /// 0 for never.
    idle_minutes: Option<f64>,
    #[serde(rename = "agent")]
    agents: Vec<AgentTable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentTable {
    name: String,
    #[serde(default = "default_protocol", alias = "dialect")]
    protocol: String,
    command: CommandSetting,
    #[serde(default)]
    env: std::collections::BTreeMap<String, String>,
    /// The agent's folder, which contains its sessions, if it is not the protocol's default.
    folder: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum CommandSetting {
    Words(Vec<String>),
    Line(String),
}

fn default_protocol() -> String {
    Protocol::DEFAULT.name().to_owned()
}

impl Config {
    /// Reads the configuration file and merges it with the command line.
    pub fn load(arguments: ServeArguments) -> Result<Self> {
        let file = match &arguments.config {
            Some(path) => read_file(path)?,
            None => {
                let path = default_config_file();
                if path.is_file() { read_file(&path)? } else { ConfigFile::default() }
            }
        };
        let listen = arguments.listen.or(file.listen).unwrap_or_else(|| DEFAULT_LISTEN.to_owned());
        let listen: SocketAddr = listen.parse().with_context(|| {
            format!("'{listen}' is not an address to listen on; write it like {DEFAULT_LISTEN}")
        })?;
        let data_dir = arguments.data_dir.or(file.data_dir).unwrap_or_else(default_data_folder);
        let current_dir = std::env::current_dir().context("cannot find the current folder")?;
        let cwd = current_dir.join(arguments.cwd.or(file.cwd).unwrap_or_default());
        if !cwd.is_dir() {
            bail!("the folder {} does not exist", cwd.display());
        }
        let data_dir = current_dir.join(data_dir);
        let mut agents = Vec::new();
        for argument in &arguments.agents {
            add_agent(&mut agents, Agent::parse(argument)?)?;
        }
        for agent in file.agents {
            let agent = agent.build()?;
            if !agents.iter().any(|known: &Agent| known.name == agent.name) {
                agents.push(agent);
            }
        }
        for agent in custom_agents(&data_dir).into_iter().chain(Agent::installed()) {
            if !agents.iter().any(|known| known.name == agent.name) {
                agents.push(agent);
            }
        }
        add_agent(&mut agents, Agent::demo(&data_dir)?)?;
        let agents = agents.into_iter().map(|agent| agent.with_data_folder(&data_dir)).collect();
        let mut allowed_hosts = arguments.allowed_hosts;
        allowed_hosts.extend(file.allowed_hosts);
        let open = !arguments.no_open && file.open.unwrap_or(true);
        let idle = idle_timeout(arguments.idle_minutes.or(file.idle_minutes))?;
        Ok(Self { listen, data_dir, cwd, agents, allowed_hosts, open, idle })
    }
}

/// Converts minutes, which may have a fraction; 0 means never.
fn idle_timeout(minutes: Option<f64>) -> Result<Option<Duration>> {
    let minutes = minutes.unwrap_or(AGENT_IDLE_MINUTES);
    if minutes == 0.0 {
        return Ok(None);
    }
    match Duration::try_from_secs_f64(minutes * 60.0) {
        Ok(idle) => Ok(Some(idle)),
        Err(_) => bail!("'{minutes}' is not a valid number of minutes for the idle timeout"),
    }
}

fn add_agent(agents: &mut Vec<Agent>, agent: Agent) -> Result<()> {
    if agents.iter().any(|known| known.name == agent.name) {
        bail!("there are two agents named '{}'", agent.name);
    }
    agents.push(agent);
    Ok(())
}

impl AgentTable {
    fn build(self) -> Result<Agent> {
        let agent = match self.command {
            CommandSetting::Words(words) => Agent::from_words(&self.name, &self.protocol, words)?,
            CommandSetting::Line(line) => Agent::new(&self.name, &self.protocol, &line)?,
        };
        Ok(agent.with_environment(self.env.into_iter().collect(), self.folder))
    }
}

fn read_file(path: &Path) -> Result<ConfigFile> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the configuration {}", path.display()))?;
    toml::from_str(&text).map_err(|error| {
        let before = error.span().map_or(0, |span| span.start.min(text.len()));
        let line = text[..before].matches('\n').count() + 1;
        anyhow::anyhow!(
            "the configuration {} has an error near line {line}: {}",
            path.display(),
            error.message()
        )
    })
}

fn home() -> PathBuf {
    PathBuf::from(std::env::var_os("HOME").unwrap_or_default())
}

fn default_config_file() -> PathBuf {
    let folder = std::env::var_os("XDG_CONFIG_HOME").map_or_else(|| home().join(".config"), PathBuf::from);
    folder.join("pilothouse/config.toml")
}

fn default_data_folder() -> PathBuf {
    match std::env::var_os("XDG_DATA_HOME") {
        Some(folder) => PathBuf::from(folder).join("pilothouse"),
        None if cfg!(target_os = "macos") => home().join("Library/Application Support/Pilothouse"),
        None => home().join(".local/share/pilothouse"),
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
