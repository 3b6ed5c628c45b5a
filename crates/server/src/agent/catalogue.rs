//! The agents on offer: those configured, pi if it is on the PATH, and always the built-in demo.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pilothouse_core::protocol::{AgentInfo, Capabilities};

use crate::agent::discovery::Found;
use crate::agent::process::Launch;

pub const DEMO: &str = "demo";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    pub name: String,
    pub dialect: Dialect,
    /// The program and its arguments.
    pub command: Vec<String>,
    pub environment: Vec<(String, String)>,
    /// Where the agent keeps its sessions: `<folder>/sessions/…`.
    pub folder: PathBuf,
    pub demo: bool,
}

/// Where the agent keeps a session.
#[derive(Clone, Copy, Debug)]
pub enum Stored<'a> {
    In(&'a Path),
    /// It has no file yet. pi before 1.0 has to be told where to make one.
    Nowhere {
        old: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Pi,
}

impl Dialect {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pi => "pi",
        }
    }

    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "pi" => Ok(Self::Pi),
            other => bail!("'{other}' is not a dialect Pilothouse speaks; it speaks: pi"),
        }
    }
}

impl Agent {
    /// `NAME=DIALECT:COMMAND ARGS…`, as given on the command line. Split like a shell would, never run by one.
    pub fn parse(argument: &str) -> Result<Self> {
        let form = "an agent is given as NAME=DIALECT:COMMAND, for example pi=pi:pi";
        let (name, rest) = argument.split_once('=').with_context(|| format!("'{argument}': {form}"))?;
        let (dialect, command) = rest.split_once(':').with_context(|| format!("'{argument}': {form}"))?;
        Self::new(name, dialect, command)
    }

    pub fn new(name: &str, dialect: &str, command: &str) -> Result<Self> {
        let command = shell_words::split(command)
            .with_context(|| format!("the command of agent '{name}' has an open quote"))?;
        Self::from_words(name, dialect, command)
    }

    pub fn from_words(name: &str, dialect: &str, command: Vec<String>) -> Result<Self> {
        let plain =
            |name: &str| name.chars().all(|letter| letter.is_alphanumeric() || "-_. ".contains(letter));
        if name.trim().is_empty() || !plain(name) {
            bail!("'{name}' is no name for an agent: letters, digits, spaces and -_. only");
        }
        if command.is_empty() {
            bail!("agent '{name}' has no command");
        }
        let dialect = Dialect::parse(dialect)?;
        Ok(Self {
            name: name.to_owned(),
            dialect,
            command,
            environment: Vec::new(),
            folder: pi_folder(),
            demo: false,
        })
    }

    /// The built-in agent: this very program.
    pub fn demo(data_folder: &Path) -> Result<Self> {
        let program = std::env::current_exe().context("the path of this program cannot be found")?;
        let folder = data_folder.join("demo");
        Ok(Self {
            name: DEMO.to_owned(),
            dialect: Dialect::Pi,
            command: vec![program.to_string_lossy().into_owned(), "demo-agent".to_owned()],
            environment: vec![("PI_CODING_AGENT_DIR".to_owned(), folder.to_string_lossy().into_owned())],
            folder,
            demo: true,
        })
    }

    /// pi, if the PATH has it.
    pub fn find_pi() -> Option<Self> {
        find_program("pi")?;
        Self::from_words("pi", "pi", vec!["pi".to_owned()]).ok()
    }

    /// The process of a session. One that has a file is opened by it, wherever that lies: by its id pi looks only
    /// among those of the present folder, and begins anew where it finds none.
    pub fn launch(&self, session_id: &str, folder: &Path, mark: String, stored: Stored<'_>) -> Launch {
        let Dialect::Pi = self.dialect;
        let (option, session) = match stored {
            _ if self.demo => ("--session-id", session_id.to_owned()),
            Stored::In(file) => ("--session", file.to_string_lossy().into_owned()),
            Stored::Nowhere { old: false } => ("--session-id", session_id.to_owned()),
            Stored::Nowhere { old: true } => ("--session", self.new_file(session_id, folder)),
        };
        let arguments = ["--mode", "rpc", option, &session].map(str::to_owned);
        Launch { folder: folder.to_owned(), mark, ..self.start_with(arguments) }
    }

    /// Where pi would keep a new session of that id.
    fn new_file(&self, session_id: &str, folder: &Path) -> String {
        let time = jiff::Timestamp::now().strftime("%Y-%m-%dT%H-%M-%S-%3fZ");
        let cwd = folder.to_string_lossy();
        let project = cwd.strip_prefix('/').unwrap_or(&cwd).replace(['/', '\\', ':'], "-");
        let file = self.folder.join(format!("sessions/--{project}--/{time}_{session_id}.jsonl"));
        file.to_string_lossy().into_owned()
    }

    /// What can be done with its sessions; what it has no list for yet is told when it runs.
    pub fn capabilities(&self, old: bool) -> Capabilities {
        Capabilities {
            images: true,
            bash: true,
            steering: true,
            models: true,
            // What pi before 1.0 has in its queue it does not give back.
            edit_queue: !old,
            compact: true,
            fork: true,
            rename: true,
            commands: true,
            ..Capabilities::default()
        }
    }

    /// A start for something else than a session.
    pub fn visit(&self, folder: &Path, mark: &str, arguments: &[&str]) -> Launch {
        let launch = self.start_with(arguments.iter().map(|word| (*word).to_owned()));
        Launch { folder: folder.to_owned(), mark: mark.to_owned(), ..launch }
    }

    fn start_with(&self, more: impl IntoIterator<Item = String>) -> Launch {
        let mut words = self.command.iter().cloned();
        Launch {
            program: words.next().unwrap_or_default(),
            arguments: words.chain(more).collect(),
            folder: PathBuf::new(),
            environment: self.environment.clone(),
            mark: String::new(),
        }
    }

    pub fn info(&self, found: &Found) -> AgentInfo {
        AgentInfo {
            name: self.name.clone(),
            dialect: self.dialect.name().to_owned(),
            version: found.version.clone(),
            demo: self.demo,
            problem: found.problem.clone(),
        }
    }
}

/// Where pi keeps its settings and sessions.
fn pi_folder() -> PathBuf {
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".pi/agent");
    std::env::var_os("PI_CODING_AGENT_DIR").map_or_else(home, PathBuf::from)
}

pub fn find_program(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|path| path.is_file());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|candidate| candidate.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_split_like_a_shell_would() {
        let agent = Agent::parse("my pi=pi:node 'a b/cli.js' --tools read").unwrap();
        assert_eq!(agent.name, "my pi");
        assert_eq!(agent.command, ["node", "a b/cli.js", "--tools", "read"]);
        let words = |stored| {
            let launch = agent.launch("s1", Path::new("/tmp/a b"), String::new(), stored);
            launch.arguments[launch.arguments.len() - 2..].join(" ")
        };
        assert_eq!(words(Stored::Nowhere { old: false }), "--session-id s1");
        assert_eq!(words(Stored::In(Path::new("/x/y.jsonl"))), "--session /x/y.jsonl");
        let old = words(Stored::Nowhere { old: true });
        assert!(old.contains("/sessions/--tmp-a b--/") && old.ends_with("Z_s1.jsonl"), "{old}");
    }

    #[test]
    fn wrong_agents_get_a_sentence() {
        for (argument, part) in [
            ("pi", "NAME=DIALECT:COMMAND"),
            ("x=acp2:run", "'acp2' is not a dialect"),
            ("x=pi:", "no command"),
            ("x=pi:'open", "open quote"),
            ("=pi:pi", "no name"),
            ("<b>=pi:pi", "no name"),
        ] {
            let error = format!("{:#}", Agent::parse(argument).unwrap_err());
            assert!(error.contains(part), "{argument}: {error}");
        }
    }
}
