//! The agents that are offered: the configured ones, those found on the PATH, and always the built-in demo. This is the
//! only place in the server that knows how a particular agent is started and where it keeps its files; a further
//! protocol is an entry in [`Protocol`] and a module beside `pi`.

mod known;
mod pi;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pilothouse_agents::{Connection, acp, pi as pi_protocol};
use pilothouse_core::limits::{ACP_STOP_SECONDS, AGENT_NAME_BYTES, STOP_SECONDS};
use pilothouse_core::protocol::{AgentInfo, Capabilities, LoginKind, LoginMethod};

use super::discovery::Discovered;
use super::process::sandbox::Sandbox;
use super::process::{FinishedProgram, Launch, Limits};

pub use known::{KnownAgent, known_agents};

/// The name of the built-in agent.
pub const DEMO: &str = "demo";

/// An agent that sessions can be started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    pub name: String,
    /// The name to show; empty if it is the name.
    pub title: String,
    pub protocol: Protocol,
    /// The program and its arguments.
    pub command: Vec<String>,
    pub environment: Vec<(String, String)>,
    /// The folder with the session files in `sessions/`: the agent's own, or ours if the server records the sessions.
    /// Empty until the data folder is known.
    pub folder: PathBuf,
    pub demo: bool,
    /// The user added the agent in the page.
    pub custom: bool,
    pub limits: Limits,
    pub sandbox: Option<Sandbox>,
}

/// A protocol that agents speak on their standard input and output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    Pi,
    /// The Agent Client Protocol.
    Acp,
}

/// The parameters for starting a session's process.
#[derive(Clone, Copy, Debug)]
pub struct SessionStart<'a> {
    pub session_id: &'a str,
    /// The working folder.
    pub folder: &'a Path,
    /// The session's file, if it has one.
    pub file: Option<&'a Path>,
    /// The agent's version, if it is known.
    pub version: Option<&'a str>,
}

impl Protocol {
    /// The protocol of an agent whose configuration names none.
    pub const DEFAULT: Self = Self::Pi;

    pub const fn name(self) -> &'static str {
        match self {
            Self::Pi => "pi",
            Self::Acp => "acp",
        }
    }

    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "pi" => Ok(Self::Pi),
            "acp" => Ok(Self::Acp),
            other => bail!("'{other}' is not a protocol that Pilothouse supports; use pi or acp"),
        }
    }
}

impl Agent {
    /// Parses `NAME=PROTOCOL:COMMAND ARGS…` from the command line. The command is split as a shell would, but no shell
    /// runs it.
    pub fn parse(argument: &str) -> Result<Self> {
        let form = "an agent is given as NAME=PROTOCOL:COMMAND, for example pi=pi:pi";
        let (name, rest) = argument.split_once('=').with_context(|| format!("'{argument}': {form}"))?;
        let (protocol, command) = rest.split_once(':').with_context(|| format!("'{argument}': {form}"))?;
        Self::new(name, protocol, command)
    }

    pub fn new(name: &str, protocol: &str, command: &str) -> Result<Self> {
        let command = shell_words::split(command)
            .with_context(|| format!("the command of agent '{name}' has an open quote"))?;
        Self::from_words(name, protocol, command)
    }

    pub fn from_words(name: &str, protocol: &str, command: Vec<String>) -> Result<Self> {
        let is_plain =
            |name: &str| name.chars().all(|letter| letter.is_alphanumeric() || "-_. ".contains(letter));
        let has_letter = name.chars().any(char::is_alphanumeric);
        if !has_letter || !is_plain(name) || name.len() > AGENT_NAME_BYTES {
            bail!(
                "'{name}' is not a valid name for an agent: use up to 60 letters, digits, spaces and -_. only"
            );
        }
        if command.is_empty() {
            bail!("agent '{name}' has no command");
        }
        let protocol = Protocol::parse(protocol)?;
        Ok(Self {
            name: name.to_owned(),
            title: String::new(),
            protocol,
            command,
            environment: Vec::new(),
            folder: match protocol {
                Protocol::Pi => pi::default_folder(),
                Protocol::Acp => PathBuf::new(),
            },
            demo: false,
            custom: false,
            limits: Limits::default(),
            sandbox: None,
        })
    }

    /// Sets the folder of an agent whose sessions the server records, below the data folder.
    pub fn with_data_folder(self, data_folder: &Path) -> Self {
        if self.is_recorded() && self.folder.as_os_str().is_empty() {
            let folder = data_folder.join("agents").join(&self.name);
            return Self { folder, ..self };
        }
        self
    }

    /// Runs the agent in a sandbox, in which it may write to its own state and to `writable`.
    pub fn with_sandbox(self, writable: Vec<PathBuf>, network: bool) -> Self {
        let program = self.command.first().map(String::as_str).unwrap_or_default();
        let state = known::known_by_program(program).map(|known| known.state).unwrap_or_default();
        let state = state.iter().map(|path| expand_home(path));
        let own = matches!(self.protocol, Protocol::Pi).then(|| self.folder.clone());
        let writable = writable.into_iter().chain(own).chain(state).collect();
        Self { sandbox: Some(Sandbox { writable, hidden: Vec::new(), network }), ..self }
    }

    /// Hides files and folders from the agent, if it runs in a sandbox.
    pub fn hiding(mut self, hidden: &[&Path]) -> Self {
        if let Some(sandbox) = &mut self.sandbox {
            sandbox.hidden.extend(hidden.iter().map(|path| path.to_path_buf()));
        }
        self
    }

    /// Whether the server records the sessions, because the agent keeps no files that it could read.
    pub const fn is_recorded(&self) -> bool {
        matches!(self.protocol, Protocol::Acp)
    }

    /// Whether the agent runs shell commands of the user itself.
    pub const fn has_shell(&self) -> bool {
        matches!(self.protocol, Protocol::Pi)
    }

    /// The time that the agent has to follow a stop before its process is ended.
    pub const fn stop_seconds(&self) -> u64 {
        match self.protocol {
            Protocol::Pi => STOP_SECONDS,
            Protocol::Acp => ACP_STOP_SECONDS,
        }
    }

    /// Sets the agent's environment. The agent's folder becomes `folder`, else the folder that the environment names.
    pub fn with_environment(self, environment: Vec<(String, String)>, folder: Option<PathBuf>) -> Self {
        let from_environment = match self.protocol {
            Protocol::Pi => pi::folder_in(&environment),
            Protocol::Acp => None,
        };
        let folder = folder.or(from_environment).unwrap_or(self.folder);
        Self { environment, folder, ..self }
    }

    /// The built-in agent: this program, started as `pilothouse demo-agent`.
    pub fn demo(data_folder: &Path) -> Result<Self> {
        let program = std::env::current_exe().context("the path of this program is unknown")?;
        let folder = data_folder.join("demo");
        Ok(Self {
            name: DEMO.to_owned(),
            title: String::new(),
            protocol: Protocol::Pi,
            command: vec![program.to_string_lossy().into_owned(), "demo-agent".to_owned()],
            environment: vec![pi::folder_variable(&folder)],
            folder,
            demo: true,
            custom: false,
            limits: Limits::default(),
            sandbox: None,
        })
    }

    /// The known agents found on the PATH. Reads the disk.
    pub fn installed() -> Vec<Self> {
        known_agents().iter().filter_map(KnownAgent::installed).collect()
    }

    /// The folder with the agent's session files.
    pub fn session_folder(&self) -> PathBuf {
        self.folder.join("sessions")
    }

    /// A connection to a process of this agent. `capabilities` are those known so far.
    pub fn connection(&self, capabilities: Capabilities) -> Connection {
        match self.protocol {
            Protocol::Pi => Connection::Pi(pi_protocol::Connection::new(capabilities)),
            Protocol::Acp => {
                Connection::Acp(Box::new(acp::Connection::new(self.command.clone(), capabilities)))
            }
        }
    }

    /// The capabilities that are known before a process runs.
    pub fn capabilities(&self, version: Option<&str>) -> Capabilities {
        match self.protocol {
            Protocol::Pi => pi_protocol::capabilities(self.generation(version)),
            Protocol::Acp => acp::capabilities(),
        }
    }

    fn generation(&self, version: Option<&str>) -> pi_protocol::Generation {
        // The demo's version is that of this program.
        version.filter(|_| !self.demo).map(pi_protocol::Generation::of_version).unwrap_or_default()
    }

    /// How the process of a session is started. `mark` is inherited by everything that it starts.
    pub fn launch(&self, session: SessionStart<'_>, mark: String) -> Launch {
        let arguments = match self.protocol {
            Protocol::Pi => pi::session_arguments(self, session, self.generation(session.version)).to_vec(),
            Protocol::Acp => Vec::new(),
        };
        self.program(session.folder, mark, arguments)
    }

    /// How a process is started that opens a copy of the session's file, or of a part of it, to create another session
    /// beside the session's own file.
    pub fn launch_copy(&self, session: SessionStart<'_>, copy: &Path, mark: String) -> Launch {
        let arguments = match self.protocol {
            Protocol::Pi => pi::copy_arguments(session.file, copy),
            Protocol::Acp => Vec::new(),
        };
        let mut launch = self.program(session.folder, mark, arguments);
        if let (Some(sandbox), Some(folder)) = (&mut launch.sandbox, copy.parent()) {
            sandbox.writable.push(folder.to_owned());
        }
        launch
    }

    /// How a process is started that belongs to no session and leaves none behind.
    pub fn launch_without_session(&self, folder: &Path, mark: String) -> Launch {
        let arguments = match self.protocol {
            Protocol::Pi => pi::NO_SESSION.map(str::to_owned).to_vec(),
            Protocol::Acp => Vec::new(),
        };
        self.program(folder, mark, arguments)
    }

    /// How the program is asked for its version.
    pub fn launch_version(&self, folder: &Path, mark: String) -> Launch {
        self.program(folder, mark, ["--version".to_owned()])
    }

    /// Why the program could not be used, for the user.
    pub fn explain_failure(&self, finished: &FinishedProgram) -> Option<String> {
        match self.protocol {
            Protocol::Pi => pi::explain_failure(&self.name, &finished.stderr),
            Protocol::Acp => None,
        }
    }

    /// Explains to the user how to give the agent a model.
    pub fn explain_no_model(&self) -> String {
        match self.protocol {
            Protocol::Pi => pi::explain_no_model(&self.name),
            Protocol::Acp => format!("{} offers no model. Log in with it in a terminal first.", self.name),
        }
    }

    fn program(&self, folder: &Path, mark: String, more: impl IntoIterator<Item = String>) -> Launch {
        let mut words = self.command.iter().cloned();
        Launch {
            program: words.next().unwrap_or_default(),
            arguments: words.chain(more).collect(),
            folder: folder.to_owned(),
            environment: self.environment.clone(),
            mark,
            limits: self.limits.clone(),
            sandbox: self.sandbox.clone(),
        }
    }

    pub fn info(&self, discovered: &Discovered) -> AgentInfo {
        AgentInfo {
            name: self.name.clone(),
            dialect: self.protocol.name().to_owned(),
            version: discovered.version.clone(),
            demo: self.demo,
            problem: discovered.problem.clone(),
            title: match &discovered.title {
                Some(title) if self.title.is_empty() => title.clone(),
                _ => self.title.clone(),
            },
            lists_sessions: discovered.lists_sessions,
            custom: self.custom,
        }
    }

    /// The needs of a known agent, as a way to log in.
    pub fn known_login(&self) -> Option<LoginMethod> {
        let known = known_agents().into_iter().find(|known| known.name == self.name)?;
        Some(LoginMethod {
            id: "outside".to_owned(),
            name: "Log in outside of Pilothouse".to_owned(),
            description: known.needs,
            kind: LoginKind::Terminal,
            link: known.link,
            ..LoginMethod::default()
        })
    }
}

/// Replaces `~` at the beginning of a path.
pub fn expand_home(path: &str) -> PathBuf {
    match path.strip_prefix('~') {
        Some(rest) => {
            let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
            home.join(rest.trim_start_matches('/'))
        }
        None => PathBuf::from(path),
    }
}

/// Finds a program by its path or on the PATH.
pub fn find_program(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|path| path.is_file());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|candidate| candidate.is_file())
}

#[cfg(test)]
mod tests {
    use pilothouse_core::limits::STOP_STEP_MILLISECONDS;

    use super::*;

    #[test]
    fn a_command_is_split_like_a_shell_would() {
        let agent = Agent::parse("my pi=pi:node 'a b/cli.js' --tools read").unwrap();
        assert_eq!(agent.name, "my pi");
        assert_eq!(agent.command, ["node", "a b/cli.js", "--tools", "read"]);
    }

    #[test]
    fn a_session_with_a_file_is_opened_by_it_and_a_new_one_by_its_id() {
        let agent = Agent::parse("pi=pi:pi").unwrap();
        let words = |file: Option<&str>, version: Option<&str>| {
            let start = SessionStart {
                session_id: "s1",
                folder: Path::new("/tmp/a b"),
                file: file.map(Path::new),
                version,
            };
            agent.launch(start, String::new()).arguments.join(" ")
        };
        assert_eq!(words(None, Some("1.5.0")), "--mode rpc --session-id s1");
        assert_eq!(words(None, None), "--mode rpc --session-id s1");
        assert_eq!(words(Some("/x/y.jsonl"), Some("0.73.1")), "--mode rpc --session /x/y.jsonl");
        let old = words(None, Some("0.73.1"));
        assert!(old.contains("/sessions/--tmp-a b--/") && old.ends_with("Z_s1.jsonl"), "{old}");
    }

    #[test]
    fn promise_30_a_stop_takes_six_seconds_at_most() {
        for agent in ["x=pi:x", "x=acp:x"] {
            // The agent is asked, then everything gets TERM, then KILL.
            let stop = Agent::parse(agent).unwrap().stop_seconds() * 1_000 + STOP_STEP_MILLISECONDS;
            assert!(stop < 6_000, "{agent}: {stop}");
        }
    }

    #[test]
    fn a_known_agent_says_what_its_login_needs() {
        let login = |agent: &str| Agent::parse(agent).unwrap().known_login();
        let codex = login("codex=acp:codex-acp").unwrap();
        assert!(codex.description.contains("codex login") && codex.link.starts_with("https://"), "{codex:?}");
        assert_eq!(login("mine=acp:mine"), None);
    }

    #[test]
    fn invalid_agents_get_a_sentence() {
        for (argument, part) in [
            ("pi", "NAME=PROTOCOL:COMMAND"),
            ("x=acp2:run", "'acp2' is not a protocol that Pilothouse supports; use pi or acp"),
            ("x=pi:", "no command"),
            ("x=pi:'open", "open quote"),
            ("=pi:pi", "not a valid name"),
            ("<b>=pi:pi", "not a valid name"),
        ] {
            let error = format!("{:#}", Agent::parse(argument).unwrap_err());
            assert!(error.contains(part), "{argument}: {error}");
        }
    }
}
