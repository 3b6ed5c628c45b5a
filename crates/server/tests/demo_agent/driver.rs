//! Starts the demo agent and talks to it.

use std::{
    collections::HashMap,
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Far longer than anything takes; only a failing test waits so long.
const PATIENCE: Duration = Duration::from_secs(30);

/// A folder to work in and one for sessions. Outlives the processes, so that a session can be opened again.
pub(crate) struct Ground {
    pub(crate) project: TempDir,
    pub(crate) data: TempDir,
}

impl Ground {
    pub(crate) fn new() -> Self {
        Self { project: tempfile::tempdir().unwrap(), data: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Demo {
        Demo::start(self, arguments)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.project.path().join(name)
    }

    /// The lines of the one session file.
    pub(crate) fn session(&self) -> Vec<Value> {
        let folders = fs::read_dir(self.data.path().join("sessions")).unwrap();
        let files: Vec<PathBuf> = folders
            .flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap())
            .map(|file| file.unwrap().path())
            .collect();
        assert_eq!(files.len(), 1, "one session, one file: {files:?}");
        let text = fs::read_to_string(&files[0]).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The messages in it.
    pub(crate) fn stored_messages(&self) -> Vec<Value> {
        self.session().iter().filter_map(|entry| entry.get("message").cloned()).collect()
    }
}

pub(crate) struct Demo {
    child: Child,
    input: Option<ChildStdin>,
    lines: mpsc::Receiver<Vec<u8>>,
    requests: usize,
    /// Responses that came while another was waited for.
    early: HashMap<String, Value>,
}

impl Demo {
    fn start(ground: &Ground, arguments: &[&str]) -> Self {
        let session_id: &[&str] =
            if arguments.contains(&"--session-id") { &[] } else { &["--session-id", "session-1"] };
        let mut child = Command::new(env!("CARGO_BIN_EXE_pilothouse"))
            .args(["demo-agent", "--mode", "rpc"])
            .args(session_id)
            .args(arguments)
            .current_dir(ground.project.path())
            .env("PI_CODING_AGENT_DIR", ground.data.path())
            .env("PILOTHOUSE_DEMO_PACE", "instant")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = child.stdout.take().unwrap();
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n') {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { input: child.stdin.take(), child, lines, requests: 0, early: HashMap::new() }
    }

    /// Sends a command with an id of its own and returns the id.
    pub(crate) fn send(&mut self, mut command: Value) -> String {
        self.requests += 1;
        let id = format!("test-{}", self.requests);
        command["id"] = json!(id);
        self.send_line(&command.to_string());
        id
    }

    pub(crate) fn send_line(&mut self, line: &str) {
        let input = self.input.as_mut().expect("stdin is open");
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn prompt(&mut self, message: &str) -> String {
        self.send(json!({"type": "prompt", "message": message}))
    }

    pub(crate) fn answer(&mut self, question: &Value, answer: Value) {
        let mut response = json!({"type": "extension_ui_response", "id": question["id"]});
        response.as_object_mut().unwrap().extend(answer.as_object().unwrap().clone());
        self.send_line(&response.to_string());
    }

    pub(crate) fn next_bytes(&mut self) -> Vec<u8> {
        self.lines.recv_timeout(PATIENCE).expect("a line in time")
    }

    pub(crate) fn next(&mut self) -> Value {
        let line = self.next_bytes();
        serde_json::from_slice(&line)
            .unwrap_or_else(|_| panic!("no JSON: {}", String::from_utf8_lossy(&line)))
    }

    /// All lines up to the first that fits, which is the last of them.
    pub(crate) fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut seen = Vec::new();
        loop {
            let line = self.next();
            let done = fits(&line);
            seen.push(line);
            if done {
                return seen;
            }
        }
    }

    pub(crate) fn until_type(&mut self, kind: &str) -> Vec<Value> {
        self.until(|line| line["type"] == kind)
    }

    pub(crate) fn until_settled(&mut self) -> Vec<Value> {
        self.until_type("agent_settled")
    }

    /// Up to a delta with that text in it.
    pub(crate) fn until_delta(&mut self, text: &str) -> Vec<Value> {
        self.until(|line| {
            let delta = &line["assistantMessageEvent"]["delta"];
            delta.as_str().is_some_and(|delta| delta.contains(text))
        })
    }

    /// Up to a tool whose output so far has that text in it.
    pub(crate) fn until_tool_output(&mut self, text: &str) -> Vec<Value> {
        self.until(|line| {
            let output = line.pointer("/partialResult/content/0/text");
            output.and_then(Value::as_str).is_some_and(|output| output.contains(text))
        })
    }

    /// The response to a request, in whatever order they come.
    pub(crate) fn response(&mut self, id: &str) -> Value {
        if let Some(response) = self.early.remove(id) {
            return response;
        }
        loop {
            let line = self.next();
            match line["id"].as_str() {
                Some(answered) if line["type"] == "response" && answered == id => return line,
                Some(answered) if line["type"] == "response" => {
                    drop(self.early.insert(answered.to_owned(), line.clone()))
                }
                _ => {}
            }
        }
    }

    /// Sends a command and returns the data of its response.
    pub(crate) fn ask(&mut self, command: Value) -> Value {
        let id = self.send(command);
        let response = self.response(&id);
        assert_eq!(response["success"], true, "{response}");
        response["data"].clone()
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    pub(crate) fn terminate(&self) {
        let id = rustix::process::Pid::from_raw(self.child.id().cast_signed()).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    }

    /// Waits for the end; whatever was still sent is returned with it.
    pub(crate) fn ended(&mut self) -> (ExitStatus, Vec<Vec<u8>>) {
        let mut rest = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => rest.push(line),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => panic!("it does not end"),
            }
        }
        (self.child.wait().unwrap(), rest)
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    pub(crate) fn error_text(&mut self) -> String {
        let mut text = String::new();
        let errors = self.child.stderr.take().unwrap();
        std::io::Read::read_to_string(&mut BufReader::new(errors), &mut text).unwrap();
        text
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        // First the polite way, so that it can end its children; ignored by those told to ignore it.
        self.input = None;
        let deadline = Instant::now() + Duration::from_secs(2);
        while self.is_running() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until a process is gone. One that only waits to be reaped is gone.
pub(crate) fn assert_gone(process: &str) {
    let deadline = Instant::now() + PATIENCE;
    while is_alive(process) {
        assert!(Instant::now() < deadline, "process {process} lives on");
        thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn is_alive(process: &str) -> bool {
    let status = fs::read_to_string(Path::new("/proc").join(process).join("stat"));
    status.is_ok_and(|status| !status.rsplit(") ").next().unwrap_or_default().starts_with('Z'))
}

/// The types of lines, deltas left out: the shape of a run.
pub(crate) fn shape(lines: &[Value]) -> Vec<String> {
    lines
        .iter()
        .filter(|line| line["type"] != "message_update")
        .map(|line| {
            let kind = line["type"].as_str().unwrap_or("?");
            match line["message"]["role"].as_str() {
                Some(role) if kind.starts_with("message_") => format!("{kind} {role}"),
                _ => kind.to_owned(),
            }
        })
        .collect()
}

/// The text of the last assistant message among these lines.
pub(crate) fn last_text(lines: &[Value]) -> String {
    let ends = lines.iter().filter(|line| line["type"] == "message_end");
    let last = ends.map(|line| &line["message"]).rfind(|message| message["role"] == "assistant");
    let parts = last.unwrap()["content"].as_array().unwrap().iter();
    parts.filter_map(|part| part["text"].as_str()).collect()
}

/// The types of the content blocks of a message.
pub(crate) fn block_types(message: &Value) -> Vec<&str> {
    message["content"].as_array().unwrap().iter().map(|block| block["type"].as_str().unwrap()).collect()
}

/// Messages that ended, in order.
pub(crate) fn ended_messages(lines: &[Value]) -> Vec<Value> {
    lines.iter().filter(|line| line["type"] == "message_end").map(|line| line["message"].clone()).collect()
}

pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/pi").join(name)
}
