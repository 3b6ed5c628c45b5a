//! The real server as a child process on a free port, with its own data folder.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;

use crate::process::{children, command_line, signal};
use crate::wait::until;

/// Returns the server binary that `cargo xtask` built: `PILOTHOUSE_BINARY`, else the one beside the test program.
///
/// Integration tests of the server's own package use `env!("CARGO_BIN_EXE_pilothouse")` instead.
pub fn built_binary() -> PathBuf {
    let beside = || {
        let test = std::env::current_exe().unwrap();
        test.parent().and_then(Path::parent).unwrap().join("pilothouse")
    };
    let binary = std::env::var_os("PILOTHOUSE_BINARY").map_or_else(beside, PathBuf::from);
    assert!(
        binary.is_file(),
        "{} is not built; run `cargo xtask test e2e` or `cargo xtask bench page`",
        binary.display()
    );
    binary
}

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// How to start a server: its folders, command line and environment. The built-in demo agent runs without pauses.
#[derive(Clone)]
pub struct ServerSetup {
    binary: PathBuf,
    arguments: Vec<OsString>,
    environment: Vec<(String, OsString)>,
    wrapper: Vec<OsString>,
    pace: String,
    address: String,
    port: u16,
    project: Option<PathBuf>,
    /// In place of the whole disk.
    roots: Option<Vec<PathBuf>>,
}

impl ServerSetup {
    pub fn new(binary: &Path) -> Self {
        Self {
            binary: binary.to_owned(),
            arguments: Vec::new(),
            environment: Vec::new(),
            wrapper: Vec::new(),
            pace: "instant".to_owned(),
            address: "127.0.0.1".to_owned(),
            port: 0,
            project: None,
            roots: None,
        }
    }

    /// Adds one word to the command line.
    pub fn argument(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// Offers an agent, as `NAME=PROTOCOL:COMMAND`.
    pub fn agent(self, agent: &str) -> Self {
        self.argument("--agent").argument(agent)
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.environment.push((name.to_owned(), value.as_ref().to_owned()));
        self
    }

    /// The pace of the demo agent: `instant`, `realistic`, or a factor.
    pub fn pace(mut self, pace: &str) -> Self {
        self.pace = pace.to_owned();
        self
    }

    /// Puts a folder in front of the PATH.
    pub fn programs(self, folder: &Path) -> Self {
        self.env("PATH", format!("{}:{PATH}", folder.display()))
    }

    /// The address to listen on, instead of 127.0.0.1.
    pub fn address(mut self, address: &str) -> Self {
        address.clone_into(&mut self.address);
        self
    }

    /// Runs these words in a shell before the server, in the same process.
    pub fn after(mut self, words: &str) -> Self {
        self.wrapper = ["sh", "-c", &format!("{words} && exec \"$0\" \"$@\"")].map(OsString::from).to_vec();
        self
    }

    /// Starts the server with a program that becomes the one it is given.
    pub fn wrapped(mut self, words: &[&str]) -> Self {
        self.wrapper.splice(0..0, words.iter().map(OsString::from));
        self
    }

    /// The port to listen on, instead of a free one.
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// The folder that new sessions work in.
    pub fn project(mut self, folder: &Path) -> Self {
        self.project = Some(folder.to_owned());
        self
    }

    /// The folders in which sessions may be created; none for the server's defaults. Otherwise every folder is allowed.
    pub fn allowed_roots(mut self, folders: &[&Path]) -> Self {
        self.roots = Some(folders.iter().map(|folder| folder.to_path_buf()).collect());
        self
    }

    pub fn binary(&self) -> &Path {
        &self.binary
    }

    /// The command, with an environment that does not depend on the user who runs the tests.
    pub fn command(&self, data: &Path) -> Command {
        let mut words = self.wrapper.iter().cloned().chain([self.binary.clone().into_os_string()]);
        let mut command = Command::new(words.next().unwrap());
        command
            .args(words)
            .args(["--listen", &format!("{}:{}", self.address, self.port), "--no-open", "--data-dir"])
            .arg(data)
            .args(&self.arguments)
            .env_clear()
            .env("PILOTHOUSE_DEMO_PACE", &self.pace)
            .env("PATH", PATH)
            .env("HOME", data)
            .env("LANG", "C.UTF-8")
            .envs(self.environment.iter().cloned())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(project) = &self.project {
            command.arg("--cwd").arg(project);
        }
        for root in self.roots.as_deref().unwrap_or(&[PathBuf::from("/")]) {
            command.arg("--allowed-root").arg(root);
        }
        command
    }

    /// Starts the server with an empty data folder and waits until it is ready.
    pub fn start(self) -> TestServer {
        self.start_in(tempfile::tempdir().unwrap())
    }

    /// Starts the server with this folder for its data.
    pub fn start_in(self, folder: tempfile::TempDir) -> TestServer {
        let data = folder.path().to_owned();
        let Launched { process, port, link } = self.launch(&data);
        TestServer { setup: self, process, port, link, data, credential: OnceLock::new(), _folder: folder }
    }

    /// Starts the process and waits for the line that announces the address.
    fn launch(&self, data: &Path) -> Launched {
        let log = std::fs::File::options().create(true).append(true).open(data.join(LOG)).unwrap();
        let mut process = self.command(data).stderr(log).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let link = line.trim().strip_prefix("Pilothouse is ready: ").unwrap_or_default().to_owned();
        let authority = link.split("://").nth(1).and_then(|rest| rest.split('/').next());
        let Some((_, port)) = authority.and_then(|authority| authority.rsplit_once(':')) else {
            let log = std::fs::read_to_string(data.join(LOG)).unwrap_or_default();
            panic!("the server did not become ready: {line:?} {log}");
        };
        let port = port.parse().unwrap();
        Launched { process, port, link }
    }
}

/// The pairing code in a link.
pub fn code_in(link: &str) -> String {
    link.split_once("#pair=").unwrap_or_else(|| panic!("no pairing code in {link}")).1.to_owned()
}

/// The file in the data folder that collects the server's stderr.
const LOG: &str = "stderr.log";

struct Launched {
    process: Child,
    port: u16,
    link: String,
}

/// A server process. Dropping it ends the process and deletes its data.
pub struct TestServer {
    setup: ServerSetup,
    process: Child,
    pub port: u16,
    /// The address with a pairing code, as the server printed it. It works once.
    pub link: String,
    pub data: PathBuf,
    /// The credential of the device that the tests of this server share, once it is paired.
    pub credential: OnceLock<String>,
    _folder: tempfile::TempDir,
}

impl TestServer {
    pub fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// A command for this server, such as `pilothouse link`.
    pub fn program(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.setup.binary);
        command
            .args(arguments)
            .arg("--data-dir")
            .arg(&self.data)
            .env_clear()
            .env("PATH", PATH)
            .env("HOME", &self.data);
        command
    }

    /// A new pairing link, by `pilothouse link`.
    pub fn new_link(&self) -> String {
        let output = self.program(&["link"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().lines().next().unwrap().to_owned()
    }

    /// A new pairing code.
    pub fn new_code(&self) -> String {
        code_in(&self.new_link())
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.data.join(LOG)).unwrap()
    }

    /// The folder in which the demo agent stores its sessions, with a folder for each project.
    pub fn demo_sessions(&self) -> PathBuf {
        self.data.join("demo/sessions")
    }

    /// The demo agent's file of a session.
    pub fn session_file(&self, session: &str) -> PathBuf {
        let folders = std::fs::read_dir(self.demo_sessions()).unwrap().flatten();
        let files = folders.flat_map(|folder| std::fs::read_dir(folder.path()).unwrap().flatten());
        let file = files.map(|file| file.path()).find(|file| file.to_string_lossy().contains(session));
        file.unwrap_or_else(|| panic!("session {session} has no file"))
    }

    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// The programs that the server has started: agents, probes and shell commands. On Linux each has a supervisor, which
    /// is the server's child.
    pub fn programs(&self) -> Vec<u32> {
        let supervisors = children(self.process_id());
        if cfg!(target_os = "linux") {
            supervisors.into_iter().flat_map(children).collect()
        } else {
            supervisors
        }
    }

    /// The agent processes that run a session. Processes that are only probed for their version are left out.
    pub fn agents(&self) -> Vec<u32> {
        let runs_session = |process: &u32| {
            let words = command_line(*process);
            let is_supervisor = words.get(1).is_some_and(|word| word.starts_with("supervise"));
            !is_supervisor && words.iter().any(|word| word == "--session-id")
        };
        self.programs().into_iter().filter(runs_session).collect()
    }

    /// Waits until an agent process runs a session, and returns the first.
    pub fn agent(&self) -> u32 {
        until("an agent process", || self.agents().first().copied())
    }

    /// Sends SIGKILL. The data stays.
    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Starts a killed server again, with the same setup, port and data.
    pub fn restart(&mut self) {
        let Launched { process, port, link } = self.setup.clone().port(self.port).launch(&self.data);
        (self.process, self.port, self.link) = (process, port, link);
    }

    pub fn kill_and_restart(&mut self) {
        self.kill();
        self.restart();
    }

    /// Sends SIGTERM and waits for the exit.
    pub fn terminate(&mut self) -> ExitStatus {
        signal(self.process.id(), "TERM");
        self.process.wait().unwrap()
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        if self.process.try_wait().is_ok_and(|ended| ended.is_none()) {
            // Not SIGKILL, so that the server ends its agents.
            signal(self.process.id(), "TERM");
            let _ = self.process.wait();
        }
    }
}
