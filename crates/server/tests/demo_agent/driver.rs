//! Starts the demo agent and exchanges lines with it.

use std::{
    collections::HashMap,
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use pilothouse_test_support::wait;

/// Far longer than any step takes; only a failing test waits this long.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The folders of one test. They outlive the processes, so that a session can be opened again.
pub(crate) struct TestFolders {
    /// The working folder.
    pub(crate) project: TempDir,
    /// The agent's folder, which contains the sessions.
    pub(crate) data: TempDir,
}

impl TestFolders {
    pub(crate) fn new() -> Self {
        Self { project: tempfile::tempdir().unwrap(), data: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> DemoAgent {
        DemoAgent::start(self, arguments)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.project.path().join(name)
    }

    /// The lines of the only session file.
    pub(crate) fn session_lines(&self) -> Vec<Value> {
        let folders = fs::read_dir(self.data.path().join("sessions")).unwrap();
        let files: Vec<PathBuf> = folders
            .flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap())
            .map(|file| file.unwrap().path())
            .collect();
        assert_eq!(files.len(), 1, "expected one session file: {files:?}");
        let text = fs::read_to_string(&files[0]).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The messages in the session file.
    pub(crate) fn stored_messages(&self) -> Vec<Value> {
        self.session_lines().iter().filter_map(|entry| entry.get("message").cloned()).collect()
    }
}

/// A running demo agent.
pub(crate) struct DemoAgent {
    child: Child,
    input: Option<ChildStdin>,
    lines: mpsc::Receiver<Vec<u8>>,
    requests: usize,
    /// Responses that arrived while the test waited for another one.
    early: HashMap<String, Value>,
    /// The agent was started with the fault `ignore-term`: only SIGKILL ends it.
    ignores_end: bool,
}

impl DemoAgent {
    fn start(folders: &TestFolders, arguments: &[&str]) -> Self {
        let session_id: &[&str] =
            if arguments.contains(&"--session-id") { &[] } else { &["--session-id", "session-1"] };
        let mut child = Command::new(env!("CARGO_BIN_EXE_pilothouse"))
            .args(["demo-agent", "--mode", "rpc"])
            .args(session_id)
            .args(arguments)
            .current_dir(folders.project.path())
            .env("PI_CODING_AGENT_DIR", folders.data.path())
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
        let ignores_end = arguments.contains(&"ignore-term");
        Self { input: child.stdin.take(), child, lines, requests: 0, early: HashMap::new(), ignores_end }
    }

    /// Sends a command with a new id and returns the id.
    pub(crate) fn send(&mut self, mut command: Value) -> String {
        self.requests += 1;
        let id = format!("test-{}", self.requests);
        command["id"] = json!(id);
        self.send_line(&command.to_string());
        id
    }

    pub(crate) fn send_line(&mut self, line: &str) {
        let input = self.input.as_mut().expect("stdin is closed");
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

    pub(crate) fn read_bytes(&mut self) -> Vec<u8> {
        self.lines.recv_timeout(TIMEOUT).expect("no line arrived in time")
    }

    pub(crate) fn read(&mut self) -> Value {
        let line = self.read_bytes();
        serde_json::from_slice(&line)
            .unwrap_or_else(|_| panic!("not JSON: {}", String::from_utf8_lossy(&line)))
    }

    /// Reads lines up to and including the first that matches.
    pub(crate) fn read_until(&mut self, matches: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut lines = Vec::new();
        loop {
            let line = self.read();
            let done = matches(&line);
            lines.push(line);
            if done {
                return lines;
            }
        }
    }

    pub(crate) fn read_until_type(&mut self, kind: &str) -> Vec<Value> {
        self.read_until(|line| line["type"] == kind)
    }

    pub(crate) fn read_until_settled(&mut self) -> Vec<Value> {
        self.read_until_type("agent_settled")
    }

    /// Reads up to a delta that contains the text.
    pub(crate) fn read_until_delta(&mut self, text: &str) -> Vec<Value> {
        self.read_until(|line| {
            let delta = &line["assistantMessageEvent"]["delta"];
            delta.as_str().is_some_and(|delta| delta.contains(text))
        })
    }

    /// Reads up to a tool update whose output so far contains the text.
    pub(crate) fn read_until_tool_output(&mut self, text: &str) -> Vec<Value> {
        self.read_until(|line| {
            let output = line.pointer("/partialResult/content/0/text");
            output.and_then(Value::as_str).is_some_and(|output| output.contains(text))
        })
    }

    /// Reads the response to a command. Responses may arrive in any order.
    pub(crate) fn response(&mut self, id: &str) -> Value {
        if let Some(response) = self.early.remove(id) {
            return response;
        }
        loop {
            let line = self.read();
            match line["id"].as_str() {
                Some(answered) if line["type"] == "response" && answered == id => return line,
                Some(answered) if line["type"] == "response" => {
                    drop(self.early.insert(answered.to_owned(), line.clone()))
                }
                _ => {}
            }
        }
    }

    /// Sends a command and returns the data of its successful response.
    pub(crate) fn request(&mut self, command: Value) -> Value {
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

    /// Waits for the process to exit. Returns its status and the lines that it still sent.
    pub(crate) fn wait_for_exit(&mut self) -> (ExitStatus, Vec<Vec<u8>>) {
        let mut remaining = Vec::new();
        loop {
            match self.lines.recv_timeout(TIMEOUT) {
                Ok(line) => remaining.push(line),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => panic!("the demo agent does not exit"),
            }
        }
        (self.child.wait().unwrap(), remaining)
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    pub(crate) fn read_stderr(&mut self) -> String {
        let mut text = String::new();
        let errors = self.child.stderr.take().unwrap();
        std::io::Read::read_to_string(&mut BufReader::new(errors), &mut text).unwrap();
        text
    }
}

impl Drop for DemoAgent {
    fn drop(&mut self) {
        // Closing stdin lets the agent kill its children.
        self.input = None;
        if !self.ignores_end {
            wait::poll_blocking(|| (!self.is_running()).then_some(()));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until a process has ended.
pub(crate) fn wait_until_gone(process: &str) {
    wait::until(&format!("the end of process {process}"), || (!is_alive(process)).then_some(()));
}

/// Whether a process is running. A zombie is not.
pub(crate) fn is_alive(process: &str) -> bool {
    let status = fs::read_to_string(Path::new("/proc").join(process).join("stat"));
    status.is_ok_and(|status| !status.rsplit(") ").next().unwrap_or_default().starts_with('Z'))
}

/// The types of the lines, without streaming updates.
pub(crate) fn event_types(lines: &[Value]) -> Vec<String> {
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

/// The text of the last assistant message in these lines.
pub(crate) fn last_assistant_text(lines: &[Value]) -> String {
    let ends = lines.iter().filter(|line| line["type"] == "message_end");
    let last = ends.map(|line| &line["message"]).rfind(|message| message["role"] == "assistant");
    let parts = last.unwrap()["content"].as_array().unwrap().iter();
    parts.filter_map(|part| part["text"].as_str()).collect()
}

/// The types of the content blocks of a message.
pub(crate) fn block_types(message: &Value) -> Vec<&str> {
    message["content"].as_array().unwrap().iter().map(|block| block["type"].as_str().unwrap()).collect()
}

/// The messages of all `message_end` events, in order.
pub(crate) fn ended_messages(lines: &[Value]) -> Vec<Value> {
    lines.iter().filter(|line| line["type"] == "message_end").map(|line| line["message"].clone()).collect()
}

pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/pi").join(name)
}
