//! The real server as a process of its own, on a free port, with a data folder of its own. Ends with its owner.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

pub struct Running {
    child: Child,
    pub port: u16,
    pub token: String,
    /// The address that was printed.
    pub link: String,
    pub data: PathBuf,
    environment: Vec<(String, String)>,
    _folder: Option<tempfile::TempDir>,
}

/// How a server is started: its folders, and what else is on its command line.
pub struct Setup {
    binary: PathBuf,
    pub arguments: Vec<String>,
    pub environment: Vec<(String, String)>,
    port: u16,
    data: Option<PathBuf>,
    project: Option<PathBuf>,
}

impl Setup {
    pub fn new(binary: &Path) -> Self {
        let environment = vec![("PILOTHOUSE_DEMO_PACE".to_owned(), "instant".to_owned())];
        Self {
            binary: binary.to_owned(),
            arguments: Vec::new(),
            environment,
            port: 0,
            data: None,
            project: None,
        }
    }

    /// The same port and data as a server that was there before.
    pub fn like(binary: &Path, before: &Running) -> Self {
        Self { port: before.port, data: Some(before.data.clone()), ..Self::new(binary) }
    }

    pub fn pace(mut self, pace: &str) -> Self {
        self.environment = vec![("PILOTHOUSE_DEMO_PACE".to_owned(), pace.to_owned())];
        self
    }

    pub fn project(mut self, folder: &Path) -> Self {
        self.project = Some(folder.to_owned());
        self
    }

    /// The command, with an environment that knows nothing of the person who runs the tests.
    pub fn command(&self, data: &Path) -> Command {
        let mut command = Command::new(&self.binary);
        command
            .args(["--listen", &format!("127.0.0.1:{}", self.port), "--no-open", "--data-dir"])
            .arg(data)
            .args(&self.arguments)
            .env_clear()
            .envs(self.environment.iter().cloned())
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", data)
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(project) = &self.project {
            command.arg("--cwd").arg(project);
        }
        command
    }

    pub fn start(self) -> Running {
        let folder = self.data.is_none().then(|| tempfile::tempdir().unwrap());
        let data = self.data.clone().unwrap_or_else(|| folder.as_ref().unwrap().path().to_owned());
        let log = std::fs::File::options().create(true).append(true).open(data.join("stderr.log")).unwrap();
        let mut child = self.command(&data).stderr(log).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let link = line.trim().strip_prefix("Pilothouse is ready: ").unwrap_or_default().to_owned();
        let address = link.strip_prefix("http://127.0.0.1:");
        let Some((port, token)) = address.and_then(|address| address.split_once("/#token=")) else {
            let log = std::fs::read_to_string(data.join("stderr.log")).unwrap_or_default();
            panic!("the server did not get ready: {line:?} {log}");
        };
        let (port, token) = (port.parse().unwrap(), token.to_owned());
        Running { child, port, token, link, data, environment: self.environment, _folder: folder }
    }
}

impl Running {
    pub fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.data.join("stderr.log")).unwrap()
    }

    /// The file in which the demo keeps a session.
    pub fn session_file(&self, session: &str) -> PathBuf {
        let folders = std::fs::read_dir(self.data.join("demo/sessions")).unwrap().flatten();
        let files = folders.flat_map(|folder| std::fs::read_dir(folder.path()).unwrap().flatten());
        let file = files.map(|file| file.path()).find(|file| file.to_string_lossy().contains(session));
        file.unwrap_or_else(|| panic!("no file of session {session}"))
    }

    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Kills it, and starts another one on the same data.
    pub fn kill_and_restart(&mut self, binary: &Path, project: &Path) {
        self.kill();
        let folder = self._folder.take();
        let mut setup = Setup::like(binary, self).project(project);
        setup.environment.clone_from(&self.environment);
        *self = setup.start();
        self._folder = folder;
    }

    /// SIGKILL, as if the machine had no mercy. The data stays.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// SIGTERM, and the exit it leads to.
    pub fn terminate(&mut self) -> ExitStatus {
        signal(self.child.id(), "TERM");
        self.child.wait().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            // Asked first, so that its agents end with it.
            signal(self.child.id(), "TERM");
            let _ = self.child.wait();
        }
    }
}

pub fn signal(process: u32, name: &str) {
    let status = Command::new("kill").args([format!("-{name}"), process.to_string()]).status().unwrap();
    assert!(status.success(), "no process {process}");
}

/// The processes started by a process, as the system tells.
pub fn children(process: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    tasks
        .filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|children| {
            children.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>()
        })
        .collect()
}

/// The agents of a server that run a session, as opposed to those that are merely asked who they are.
pub fn agents(server: &Running) -> Vec<u32> {
    let runs_session = |process: &u32| {
        let words = std::fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default();
        words.split('\0').any(|word| word == "--session-id")
    };
    children(server.process_id()).into_iter().filter(runs_session).collect()
}

/// The one agent that runs a session, as soon as it does.
pub fn agent(server: &Running) -> u32 {
    let start = std::time::Instant::now();
    loop {
        if let Some(agent) = agents(server).first() {
            return *agent;
        }
        assert!(start.elapsed().as_secs() < 30, "no agent runs");
        std::thread::yield_now();
    }
}

pub fn is_alive(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

/// Waits until a process has begun another, which it may have announced before; a hang fails.
pub fn until_child(process: u32) -> u32 {
    let start = std::time::Instant::now();
    loop {
        if let [child, ..] = children(process)[..] {
            return child;
        }
        assert!(start.elapsed().as_secs() < 30, "process {process} begins nothing");
        std::thread::yield_now();
    }
}

/// Waits until a process that was told to end has ended; a hang fails.
pub fn until_gone(process: u32) {
    let start = std::time::Instant::now();
    while is_alive(process) {
        assert!(start.elapsed().as_secs() < 30, "process {process} lives on");
        std::thread::yield_now();
    }
}
