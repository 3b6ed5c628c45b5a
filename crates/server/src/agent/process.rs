//! The only place that starts processes. A program is started together with what ends everything that it starts: see
//! `tree`.

#[cfg(target_os = "linux")]
pub mod cgroup;
#[cfg(target_os = "linux")]
mod descendants;
pub mod programs;
pub mod sandbox;
#[cfg(target_os = "linux")]
mod supervised;
#[cfg(not(target_os = "linux"))]
#[path = "process/unsupervised.rs"]
mod supervised;
#[cfg(target_os = "linux")]
pub mod supervisor;
mod tree;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result};
use pilothouse_agents::framing::{Line, LineBuffer};
use pilothouse_core::limits::{
    AGENT_COMMAND_QUEUE, LAST_OUTPUT_SECONDS, PROBE_OUTPUT_BYTES, PROBE_SECONDS, STDERR_LINE_BYTES,
    STDERR_LINES,
};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot, watch};

use sandbox::Sandbox;
use supervised::Supervised;
pub use supervised::{Moment, now};
use tree::{ProcessTree, STOP_STEP, Streams};

/// How a program is started: an argument vector, never a command line for a shell.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    pub program: String,
    pub arguments: Vec<String>,
    pub folder: PathBuf,
    pub environment: Vec<(String, String)>,
    /// Inherited by everything that the program starts: see `orphans`.
    pub mark: String,
    pub limits: Limits,
    pub sandbox: Option<Sandbox>,
}

/// Limits for a program with everything that it starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// In bytes.
    pub memory: Option<u64>,
    pub processes: Option<u64>,
}

impl Limits {
    pub const fn is_empty(&self) -> bool {
        self.memory.is_none() && self.processes.is_none()
    }
}

/// Prepares this process to start others.
pub fn set_up() {
    #[cfg(target_os = "linux")]
    cgroup::set_up();
}

/// Whether a process may have been started by an agent or by a shell command. Elsewhere than on Linux this is not known.
pub fn may_be_started_here(id: i32) -> bool {
    #[cfg(target_os = "linux")]
    let below = descendants::may_be_below_this_process(id);
    #[cfg(not(target_os = "linux"))]
    let below = false;
    below
}

/// Why limits cannot be applied; `None` if they can.
pub fn why_no_limits(limits: &Limits) -> Option<String> {
    #[cfg(target_os = "linux")]
    let reason = cgroup::why_not(limits);
    #[cfg(not(target_os = "linux"))]
    let reason = (!limits.is_empty()).then(|| "this system has no control groups".to_owned());
    reason
}

/// Which of the processes that were started since a moment are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leftovers {
    /// All but the agent's helpers, which are attached to it and read from a pipe.
    All,
    /// Those whose parent has ended.
    Orphans,
}

/// An event of a process.
#[derive(Debug)]
pub enum ProcessEvent {
    Lines(Vec<Line>),
    /// What a stopped turn or command left behind has ended.
    Cleared,
    Exited(Exit),
}

/// How a process ended, with the last lines of its standard error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exit {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub stderr: Vec<String>,
}

/// A running agent. Dropping it ends the process.
#[derive(Debug)]
pub struct Process {
    /// `None` once the process is being stopped: dropping the sender closes the agent's input.
    input: Option<mpsc::Sender<String>>,
    /// Gets the time that the agent has to end once its input is closed.
    stop: Option<oneshot::Sender<Duration>>,
    events: mpsc::Sender<ProcessEvent>,
    supervised: Option<Arc<Supervised>>,
}

impl Process {
    /// Starts the agent. Its lines and its end arrive through `events`, the end exactly once and last.
    pub async fn start(launch: &Launch, events: mpsc::Sender<ProcessEvent>) -> Result<Self> {
        let streams = Streams { input: Stdio::piped(), output: Stdio::piped(), errors: Stdio::piped() };
        let mut tree = ProcessTree::start(launch, streams).await?;
        let (stdin, stdout, stderr) = tree.take_streams();
        let stdin = stdin.context("the agent has no standard input")?;
        let stdout = stdout.context("the agent has no standard output")?;
        let stderr = stderr.context("the agent has no standard error")?;
        let (input, commands) = mpsc::channel(AGENT_COMMAND_QUEUE);
        let (stop, stopped) = oneshot::channel();
        let last_errors = Arc::new(Mutex::new(VecDeque::new()));
        tokio::spawn(write_input(stdin, commands));
        let reading_errors = tokio::spawn(keep_last_errors(stderr, last_errors.clone()));
        let (ended, end) = watch::channel(false);
        let reading = tokio::spawn(read_output(stdout, events.clone(), end));
        let process = Self {
            input: Some(input),
            stop: Some(stop),
            events: events.clone(),
            supervised: tree.supervised(),
        };
        tokio::spawn(async move {
            let status = tree.run(async { stopped.await.unwrap_or(STOP_STEP) }).await;
            // Output that is still in the pipes is delivered before the exit, within a time limit.
            let _ = ended.send(true);
            let readers = [reading.abort_handle(), reading_errors.abort_handle()];
            let _ = tokio::time::timeout(Duration::from_secs(LAST_OUTPUT_SECONDS), reading).await;
            let _ = tokio::time::timeout(SILENCE, reading_errors).await;
            readers.iter().for_each(tokio::task::AbortHandle::abort);
            let stderr = last_errors.lock().map(|lines| lines.iter().cloned().collect()).unwrap_or_default();
            let _ = events.send(ProcessEvent::Exited(exit(status, stderr))).await;
        });
        Ok(process)
    }

    /// Queues a line for the agent. Returns false if the queue is full because the agent does not read its input. A
    /// line for a process that has ended is dropped: the exit event reports the end.
    pub fn send(&self, line: String) -> bool {
        let full = |input: &mpsc::Sender<String>| matches!(input.try_send(line), Err(TrySendError::Full(_)));
        !self.input.as_ref().is_some_and(full)
    }

    /// A process for tests that runs no program: its input arrives in the channel.
    #[cfg(test)]
    pub fn without_program(events: mpsc::Sender<ProcessEvent>) -> (Self, mpsc::Receiver<String>) {
        let (input, lines) = mpsc::channel(AGENT_COMMAND_QUEUE);
        let (stop, _stopped) = oneshot::channel();
        (Self { input: Some(input), stop: Some(stop), events, supervised: None }, lines)
    }

    /// Whether the agent reads its input.
    pub fn accepts_input(&self) -> bool {
        self.input.as_ref().is_none_or(|input| input.capacity() > 0)
    }

    /// Ends the agent with everything that it started: closes its input, then sends TERM, then KILL.
    pub fn stop(&mut self) {
        self.stop_after(STOP_STEP);
    }

    /// Ends an agent that did not follow a stop: TERM, then KILL.
    pub fn terminate(&mut self) {
        self.stop_after(Duration::ZERO);
    }

    fn stop_after(&mut self, grace: Duration) {
        self.input = None;
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(grace);
        }
    }

    /// Ends what was started below the agent since a moment: TERM, then KILL. [`ProcessEvent::Cleared`] follows.
    pub fn end_started_since(&self, since: Moment, which: Leftovers) {
        let (supervised, events) = (self.supervised.clone(), self.events.clone());
        tokio::spawn(async move {
            if let Some(supervised) = supervised {
                let ending = tokio::task::spawn_blocking(move || supervised.end_started_since(since, which));
                let _ = ending.await;
            }
            let _ = events.send(ProcessEvent::Cleared).await;
        });
    }
}

/// A shell command of the user that the server runs, for agents that have no shell. Dropping it ends the command.
#[derive(Debug)]
pub struct ShellCommand {
    stop: Option<oneshot::Sender<()>>,
}

/// An event of a shell command, by the id that its caller gave it.
#[derive(Debug, PartialEq, Eq)]
pub enum ShellEvent {
    Output {
        id: String,
        text: String,
    },
    /// Exactly once and last.
    Ended {
        id: String,
        code: Option<i32>,
    },
}

impl ShellCommand {
    /// Runs a command with the user's shell in this folder. Its standard output and error are one stream.
    pub async fn start(
        (id, command): (String, &str),
        folder: &Path,
        mark: String,
        events: mpsc::Sender<ShellEvent>,
    ) -> Result<Self> {
        let launch = Launch {
            program: "sh".to_owned(),
            arguments: vec!["-c".to_owned(), format!("exec 2>&1\n{command}")],
            folder: folder.to_owned(),
            mark,
            ..Launch::default()
        };
        let streams = Streams { input: Stdio::null(), output: Stdio::piped(), errors: Stdio::null() };
        let mut tree = ProcessTree::start(&launch, streams).await?;
        let (_, stdout, _) = tree.take_streams();
        let stdout = stdout.context("the shell has no standard output")?;
        let (stop, stopped) = oneshot::channel();
        let (ended, end) = watch::channel(false);
        let reading = tokio::spawn(read_text(stdout, id.clone(), events.clone(), end));
        tokio::spawn(async move {
            let stop = async {
                // Received also when the handle is dropped.
                let _ = stopped.await;
                // A command has no input to close.
                Duration::ZERO
            };
            let status = tree.run(stop).await;
            let _ = ended.send(true);
            let reader = reading.abort_handle();
            let _ = tokio::time::timeout(Duration::from_secs(LAST_OUTPUT_SECONDS), reading).await;
            reader.abort();
            let code = exit(status, Vec::new()).code;
            let _ = events.send(ShellEvent::Ended { id, code }).await;
        });
        Ok(Self { stop: Some(stop) })
    }

    /// Ends the command and everything that it started.
    pub fn stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }
}

/// Reads text until the pipe is closed, or until the command has ended and the pipe is silent. A character that is split
/// between two reads is kept together.
async fn read_text(
    mut stdout: tokio::process::ChildStdout,
    id: String,
    events: mpsc::Sender<ShellEvent>,
    mut end: watch::Receiver<bool>,
) {
    let mut bytes = vec![0; 16 * 1024];
    let mut kept: Vec<u8> = Vec::new();
    loop {
        let ended = *end.borrow_and_update();
        let count = tokio::select! {
            count = stdout.read(&mut bytes) => count.unwrap_or_default(),
            Ok(()) = end.changed(), if !ended => continue,
            () = tokio::time::sleep(SILENCE), if ended => 0,
        };
        kept.extend_from_slice(&bytes[..count]);
        let complete = match std::str::from_utf8(&kept) {
            Err(error) if error.error_len().is_none() && count > 0 => error.valid_up_to(),
            _ => kept.len(),
        };
        let rest = kept.split_off(complete);
        let text = String::from_utf8_lossy(&kept).into_owned();
        kept = rest;
        if !text.is_empty() && events.send(ShellEvent::Output { id: id.clone(), text }).await.is_err() {
            return;
        }
        if count == 0 {
            return;
        }
    }
}

#[cfg(unix)]
fn exit(status: Option<ExitStatus>, stderr: Vec<String>) -> Exit {
    use std::os::unix::process::ExitStatusExt;
    Exit {
        code: status.and_then(|status| status.code()),
        signal: status.and_then(|status| status.signal()),
        stderr,
    }
}

async fn write_input(mut stdin: tokio::process::ChildStdin, mut commands: mpsc::Receiver<String>) {
    while let Some(line) = commands.recv().await {
        if stdin.write_all(line.as_bytes()).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

/// A pipe that stays silent for this long after the agent's end is held open by another process.
const SILENCE: Duration = Duration::from_millis(500);

/// Reads until the pipe is closed, or until the agent has ended and the pipe is silent.
async fn read_output(
    mut stdout: tokio::process::ChildStdout,
    events: mpsc::Sender<ProcessEvent>,
    mut end: watch::Receiver<bool>,
) {
    let mut buffer = LineBuffer::default();
    let mut bytes = vec![0; 64 * 1024];
    loop {
        let ended = *end.borrow_and_update();
        let count = tokio::select! {
            count = stdout.read(&mut bytes) => count.unwrap_or_default(),
            Ok(()) = end.changed(), if !ended => continue,
            () = tokio::time::sleep(SILENCE), if ended => 0,
        };
        let lines =
            if count == 0 { buffer.finish().into_iter().collect() } else { buffer.push(&bytes[..count]) };
        if !lines.is_empty() && events.send(ProcessEvent::Lines(lines)).await.is_err() {
            return;
        }
        if count == 0 {
            return;
        }
    }
}

/// Keeps the last lines of standard error, which explain the end of the process.
async fn keep_last_errors(stderr: tokio::process::ChildStderr, lines: Arc<Mutex<VecDeque<String>>>) {
    let mut reader = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut limited = (&mut reader).take(STDERR_LINE_BYTES as u64);
        match limited.read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        if let Ok(mut lines) = lines.lock()
            && !text.is_empty()
        {
            if lines.len() >= STDERR_LINES {
                lines.pop_front();
            }
            lines.push_back(text);
        }
    }
}

/// The result of a program that ran to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FinishedProgram {
    pub success: bool,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a program to its end, with empty input. The error continues a sentence that begins with the agent's name.
pub async fn run_to_end(launch: &Launch) -> Result<FinishedProgram, String> {
    let streams = Streams { input: Stdio::null(), output: Stdio::piped(), errors: Stdio::piped() };
    let started = ProcessTree::start(launch, streams).await;
    let mut tree = started.map_err(|error| format!("couldn't be started: {error:#}"))?;
    let (_, stdout, stderr) = tree.take_streams();
    let mut is_late = false;
    let stop = async {
        tokio::time::sleep(Duration::from_secs(PROBE_SECONDS)).await;
        is_late = true;
        Duration::ZERO
    };
    let running = async { tokio::join!(read_bounded(stdout), read_bounded(stderr), tree.run(stop)) };
    // The pipes close once everything that the program started has ended; where that cannot be enforced, one may stay open.
    let finished = tokio::time::timeout(Duration::from_secs(PROBE_SECONDS) + 4 * STOP_STEP, running).await;
    match finished {
        Ok((stdout, stderr, Some(status))) if !is_late => {
            Ok(FinishedProgram { success: status.success(), stdout, stderr })
        }
        Ok((_, _, None)) if !is_late => Err("couldn't be started".to_owned()),
        _ => Err(format!("didn't respond within {PROBE_SECONDS} seconds")),
    }
}

/// Reads the output of a program to its end. Only the beginning is kept.
async fn read_bounded(output: Option<impl AsyncRead + Unpin>) -> String {
    let Some(mut output) = output else { return String::new() };
    let mut kept = Vec::new();
    let _ = (&mut output).take(PROBE_OUTPUT_BYTES).read_to_end(&mut kept).await;
    // The program may wait until the rest is read.
    let _ = tokio::io::copy(&mut output, &mut tokio::io::sink()).await;
    String::from_utf8_lossy(&kept).into_owned()
}

/// Starts a desktop program and does not wait for it.
pub fn start_and_forget(program: &str, argument: &Path) {
    let started = Command::new(program)
        .arg(argument)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn();
    if let Err(error) = started {
        tracing::debug!(%error, program, "could not start a desktop program");
    }
}
