//! The configuration, from the command line and a TOML file. The command line takes precedence.

use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use pilothouse_core::limits::{AGENT_IDLE_MINUTES, DEVICE_DAYS};
use serde::Deserialize;

use crate::agent::catalogue::{Agent, Protocol, expand_home};
use crate::agent::process::Limits;
use crate::allowed_roots::AllowedRoots;
use crate::cli::ServeArguments;
use crate::http::guard::hosts::{AllowedHost, is_loopback_name};
use crate::http::tls::CertificateFiles;
use crate::hub::custom_agents;

const DEFAULT_LISTEN: &str = "127.0.0.1:4780";

/// The merged configuration.
#[derive(Debug)]
pub struct Config {
    pub listen: SocketAddr,
    pub data_dir: PathBuf,
    /// The folder of new sessions unless the user chooses another one.
    pub cwd: PathBuf,
    /// The folders in which sessions may be created.
    pub allowed_roots: AllowedRoots,
    pub agents: Vec<Agent>,
    pub allowed_hosts: Vec<AllowedHost>,
    /// The certificate, if the server serves HTTPS itself.
    pub tls: Option<CertificateFiles>,
    /// The time after which a device that is not used loses its access; `None` for never.
    pub device_expiry: Option<Duration>,
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
    allowed_roots: Vec<PathBuf>,
    allowed_hosts: Vec<String>,
    tls_cert: Option<PathBuf>,
    tls_key: Option<PathBuf>,
    allow_plain_http: bool,
    open: Option<bool>,
    /// 0 for never.
    idle_minutes: Option<f64>,
    /// 0 for never.
    device_days: Option<f64>,
    #[serde(rename = "agent")]
    agents: Vec<AgentTable>,
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "AgentSettings")]
struct AgentTable(AgentSettings);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentSettings {
    name: String,
    #[serde(default = "default_protocol", alias = "dialect")]
    protocol: String,
    command: CommandSetting,
    #[serde(default)]
    env: std::collections::BTreeMap<String, String>,
    /// The agent's folder, which contains its sessions, if it is not the protocol's default.
    folder: Option<PathBuf>,
    /// For the agent with everything that it starts.
    memory_limit: Option<MemorySize>,
    process_limit: Option<NonZeroU64>,
    sandbox: Option<SandboxKind>,
    /// What the agent may write to in a sandbox, besides the session's folder and its own state.
    sandbox_write: Option<Vec<String>>,
    /// Whether the agent reaches the network from its sandbox.
    network: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SandboxKind {
    Bubblewrap,
    Off,
}

/// A number of bytes, written like "4G".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
struct MemorySize(u64);

impl TryFrom<String> for MemorySize {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let number = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
        let shift = match &text[number.len()..] {
            "K" => Some(10),
            "M" => Some(20),
            "G" => Some(30),
            "T" => Some(40),
            _ => None,
        };
        let bytes = shift.and_then(|shift| number.parse::<u64>().ok()?.checked_mul(1 << shift));
        let bytes = bytes.filter(|bytes| *bytes > 0);
        bytes
            .map(Self)
            .ok_or_else(|| format!("'{text}' is not an amount of memory; write it like 512M or 4G"))
    }
}

impl TryFrom<AgentSettings> for AgentTable {
    type Error = String;

    fn try_from(settings: AgentSettings) -> Result<Self, String> {
        let AgentSettings { name, sandbox, sandbox_write, network, .. } = &settings;
        let has_details = sandbox_write.is_some() || network.is_some();
        if *sandbox != Some(SandboxKind::Bubblewrap) && has_details {
            return Err(format!(
                "agent '{name}' has sandbox_write or network, but no sandbox; add sandbox = \"bubblewrap\""
            ));
        }
        let is_absolute = |path: &&String| path.starts_with('/') || path.starts_with("~/");
        if let Some(path) = sandbox_write.iter().flatten().find(|path| !is_absolute(path)) {
            return Err(format!(
                "agent '{name}': '{path}' in sandbox_write is not an absolute path; begin it with / or ~/"
            ));
        }
        Ok(Self(settings))
    }
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
        let path = arguments.config.clone().unwrap_or_else(default_config_file);
        let file = ConfigFile::read(arguments.config.as_deref())?;
        let listen = arguments.listen.or(file.listen).unwrap_or_else(|| DEFAULT_LISTEN.to_owned());
        let listen: SocketAddr = listen.parse().with_context(|| {
            format!("'{listen}' is not an address to listen on; write it like {DEFAULT_LISTEN}")
        })?;
        let data_dir = arguments.data_dir.or(file.data_dir).unwrap_or_else(default_data_folder);
        let current_dir = std::env::current_dir().context("cannot find the current folder")?;
        let cwd = arguments.cwd.or(file.cwd);
        let configured = arguments.allowed_roots.into_iter().chain(file.allowed_roots);
        let (cwd, allowed_roots) = folders(&current_dir, cwd, configured.collect())?;
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
        // The configuration may contain keys of other agents.
        let hidden = [data_dir.as_path(), &current_dir.join(path)];
        let agents =
            agents.into_iter().map(|agent| agent.with_data_folder(&data_dir).hiding(&hidden)).collect();
        let tls = match (arguments.tls_cert.or(file.tls_cert), arguments.tls_key.or(file.tls_key)) {
            (Some(certificate), Some(key)) => Some(CertificateFiles { certificate, key }),
            (None, None) => None,
            _ => bail!(
                "a certificate needs its private key, and a key its certificate: give both --tls-cert and --tls-key"
            ),
        };
        let https_port = tls.as_ref().map(|_| listen.port());
        let configured = arguments.allowed_hosts.iter().chain(&file.allowed_hosts);
        let allowed_hosts =
            configured.map(|host| AllowedHost::parse(host, https_port)).collect::<Result<Vec<_>>>()?;
        if !arguments.allow_plain_http && !file.allow_plain_http {
            refuse_plain_http(listen, tls.is_some(), &allowed_hosts)?;
        }
        let open = !arguments.no_open && file.open.unwrap_or(true);
        let idle = arguments.idle_minutes.or(file.idle_minutes).unwrap_or(AGENT_IDLE_MINUTES);
        let idle = timeout(idle, MINUTE, "minutes for the idle timeout")?;
        let device_expiry = arguments.device_days.or(file.device_days).unwrap_or(DEVICE_DAYS);
        let device_expiry = timeout(device_expiry, DAY, "days after which devices lose their access")?;
        Ok(Self {
            listen,
            data_dir,
            cwd,
            allowed_roots,
            agents,
            allowed_hosts,
            tls,
            device_expiry,
            open,
            idle,
        })
    }

    /// The data folder of a server with these settings.
    pub fn data_dir(config: Option<&Path>, data_dir: Option<PathBuf>) -> Result<PathBuf> {
        let data_dir = match data_dir {
            Some(folder) => folder,
            None => ConfigFile::read(config)?.data_dir.unwrap_or_else(default_data_folder),
        };
        std::path::absolute(data_dir).context("cannot find the current folder")
    }
}

/// The folder of new sessions and the folders in which they may be created. A start folder that the user has not named is
/// replaced if it is not allowed.
fn folders(
    current_dir: &Path,
    named: Option<PathBuf>,
    configured: Vec<PathBuf>,
) -> Result<(PathBuf, AllowedRoots)> {
    let is_named = named.is_some();
    let cwd = current_dir.join(named.unwrap_or_default());
    if !cwd.is_dir() {
        bail!("the folder {} does not exist", cwd.display());
    }
    let roots = if configured.is_empty() {
        AllowedRoots::defaults(&home(), &cwd, is_named)
    } else {
        let absolute = |root: PathBuf| current_dir.join(expand_home(&root.to_string_lossy()));
        let roots: Vec<PathBuf> = configured.into_iter().map(absolute).collect();
        if let Some(root) = roots.iter().find(|root| !root.is_dir()) {
            bail!("the allowed root {} is not a folder", root.display());
        }
        AllowedRoots::new(roots)
    };
    let is_allowed = cwd.canonicalize().is_ok_and(|real| roots.root_of(&real).is_some());
    if is_allowed {
        return Ok((cwd, roots));
    }
    if is_named {
        bail!(
            "the default folder {} is outside the allowed roots; add it with --allowed-root or allowed_roots",
            cwd.display()
        );
    }
    Ok((roots.existing().into_iter().next().unwrap_or(cwd), roots))
}

/// Others could read what is sent over a network without encryption, the credential of the browser included.
fn refuse_plain_http(listen: SocketAddr, has_tls: bool, hosts: &[AllowedHost]) -> Result<()> {
    const ADVICE: &str = "serve HTTPS with --tls-cert and --tls-key or behind a proxy (see the README), \
                          or accept that others in the network can read everything with --allow-plain-http";
    if !has_tls && !listen.ip().is_loopback() {
        bail!("refusing to listen on {listen} with plain HTTP: {ADVICE}");
    }
    let is_plain = |host: &&AllowedHost| host.scheme == "http" && !is_loopback_name(&host.name);
    if let Some(host) = hosts.iter().find(is_plain) {
        bail!(
            "refusing plain HTTP for the allowed host '{0}': if a proxy serves it with HTTPS, write https://{0}; otherwise {ADVICE}",
            host.name
        );
    }
    Ok(())
}

const MINUTE: f64 = 60.0;
const DAY: f64 = 24.0 * 60.0 * MINUTE;

/// Converts a number of units, which may have a fraction; 0 means never.
fn timeout(number: f64, unit_seconds: f64, what: &str) -> Result<Option<Duration>> {
    if number == 0.0 {
        return Ok(None);
    }
    match Duration::try_from_secs_f64(number * unit_seconds) {
        Ok(timeout) => Ok(Some(timeout)),
        Err(_) => bail!("'{number}' is not a valid number of {what}"),
    }
}

impl ConfigFile {
    /// Reads this file, or else the default one if it exists.
    fn read(path: Option<&Path>) -> Result<Self> {
        match path {
            Some(path) => read_file(path),
            None => {
                let path = default_config_file();
                if path.is_file() { read_file(&path) } else { Ok(Self::default()) }
            }
        }
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
        let Self(settings) = self;
        let agent = match settings.command {
            CommandSetting::Words(words) => Agent::from_words(&settings.name, &settings.protocol, words)?,
            CommandSetting::Line(line) => Agent::new(&settings.name, &settings.protocol, &line)?,
        };
        let limits = Limits {
            memory: settings.memory_limit.map(|MemorySize(bytes)| bytes),
            processes: settings.process_limit.map(NonZeroU64::get),
        };
        let agent = agent.with_environment(settings.env.into_iter().collect(), settings.folder);
        let agent = Agent { limits, ..agent };
        if settings.sandbox != Some(SandboxKind::Bubblewrap) {
            return Ok(agent);
        }
        let writable = settings.sandbox_write.unwrap_or_default();
        let writable = writable.iter().map(|path| expand_home(path)).collect();
        Ok(agent.with_sandbox(writable, settings.network.unwrap_or(true)))
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
