//! The only place that starts processes. An agent runs in a process group of its own, so that stopping it ends
//! everything it started.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result};
use pilothouse_agents::framing::{Line, LineBuffer};
use pilothouse_core::limits::{
    AGENT_COMMAND_QUEUE, LAST_OUTPUT_SECONDS, PROBE_OUTPUT_BYTES, PROBE_SECONDS, STDERR_LINE_BYTES,
    STDERR_LINES, STOP_STEP_SECONDS,
};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot, watch};

use super::orphans;

/// How a program is started: an argument vector, never a command line for a shell.
#[derive(Clone, Debug)]
pub struct Launch {
    pub program: String,
    pub arguments: Vec<String>,
    pub folder: PathBuf,
    pub environment: Vec<(String, String)>,
    /// Inherited by everything that the program starts: see `orphans`.
    pub mark: String,
}

/// An event of a process.
#[derive(Debug)]
pub enum ProcessEvent {
    Lines(Vec<Line>),
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
    stop: Option<oneshot::Sender<()>>,
}

impl Process {
    /// Starts the agent. Its lines and its end arrive through `events`, the end exactly once and last.
    pub fn start(launch: &Launch, events: mpsc::Sender<ProcessEvent>) -> Result<Self> {
        let mut child = Command::new(&launch.program)
            .args(&launch.arguments)
            .current_dir(&launch.folder)
            .envs(launch.environment.iter().cloned())
            .env(orphans::MARK, &launch.mark)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .with_context(|| {
                format!("could not start '{}' in {}", launch.program, launch.folder.display())
            })?;
        let stdin = child.stdin.take().context("the agent has no standard input")?;
        let stdout = child.stdout.take().context("the agent has no standard output")?;
        let stderr = child.stderr.take().context("the agent has no standard error")?;
        let (input, commands) = mpsc::channel(AGENT_COMMAND_QUEUE);
        let (stop, stopped) = oneshot::channel();
        let last_errors = Arc::new(Mutex::new(VecDeque::new()));
        tokio::spawn(write_input(stdin, commands));
        let reading_errors = tokio::spawn(keep_last_errors(stderr, last_errors.clone()));
        let (ended, end) = watch::channel(false);
        let reading = tokio::spawn(read_output(stdout, events.clone(), end));
        let mark = launch.mark.clone();
        tokio::spawn(async move {
            let status = wait_or_stop(&mut child, stopped).await;
            let _ = tokio::task::spawn_blocking(move || orphans::end(&mark)).await;
            // Output that is still in the pipes is delivered before the exit, within a time limit.
            let _ = ended.send(true);
            let readers = [reading.abort_handle(), reading_errors.abort_handle()];
            let _ = tokio::time::timeout(Duration::from_secs(LAST_OUTPUT_SECONDS), reading).await;
            let _ = tokio::time::timeout(SILENCE, reading_errors).await;
            readers.iter().for_each(tokio::task::AbortHandle::abort);
            let stderr = last_errors.lock().map(|lines| lines.iter().cloned().collect()).unwrap_or_default();
            let _ = events.send(ProcessEvent::Exited(exit(status, stderr))).await;
        });
        Ok(Self { input: Some(input), stop: Some(stop) })
    }

    /// Queues a line for the agent. Returns false if the queue is full because the agent does not read its input. A
    /// line for a process that has ended is dropped: the exit event reports the end.
    pub fn send(&self, line: String) -> bool {
        let full = |input: &mpsc::Sender<String>| matches!(input.try_send(line), Err(TrySendError::Full(_)));
        !self.input.as_ref().is_some_and(full)
    }

    /// A process for tests that runs no program: its input arrives in the channel.
    #[cfg(test)]
    pub fn without_program() -> (Self, mpsc::Receiver<String>) {
        let (input, lines) = mpsc::channel(AGENT_COMMAND_QUEUE);
        let (stop, _stopped) = oneshot::channel();
        (Self { input: Some(input), stop: Some(stop) }, lines)
    }

    /// Whether the agent reads its input.
    pub fn accepts_input(&self) -> bool {
        self.input.as_ref().is_none_or(|input| input.capacity() > 0)
    }

    /// Ends the process group: closes its input, then sends TERM, then KILL.
    pub fn stop(&mut self) {
        self.input = None;
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
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
    pub fn start(
        (id, command): (String, &str),
        folder: &Path,
        mark: String,
        events: mpsc::Sender<ShellEvent>,
    ) -> Result<Self> {
        let mut child = Command::new("sh")
            .arg("-c")
            .arg(format!("exec 2>&1\n{command}"))
            .current_dir(folder)
            .env(orphans::MARK, &mark)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("could not start a shell in {}", folder.display()))?;
        let stdout = child.stdout.take().context("the shell has no standard output")?;
        let (stop, stopped) = oneshot::channel();
        let (ended, end) = watch::channel(false);
        let reading = tokio::spawn(read_text(stdout, id.clone(), events.clone(), end));
        tokio::spawn(async move {
            let status = wait_or_terminate(&mut child, stopped).await;
            let _ = tokio::task::spawn_blocking(move || orphans::end(&mark)).await;
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

/// Waits for a shell command, which has no input to close: a stop sends TERM, then KILL.
async fn wait_or_terminate(child: &mut Child, stopped: oneshot::Receiver<()>) -> Option<ExitStatus> {
    let group = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    tokio::select! {
        status = child.wait() => return status.ok(),
        // Received also when the handle is dropped.
        _ = stopped => {}
    }
    signal(group, Signal::TERM);
    let status = tokio::time::timeout(Duration::from_secs(STOP_STEP_SECONDS), child.wait()).await;
    signal(group, Signal::KILL);
    match status {
        Ok(status) => status.ok(),
        Err(_) => child.wait().await.ok(),
    }
}

async fn wait_or_stop(child: &mut Child, stopped: oneshot::Receiver<()>) -> Option<ExitStatus> {
    let group = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    tokio::select! {
        status = child.wait() => {
            signal(group, Signal::KILL);
            return status.ok();
        }
        // Received also when the handle is dropped.
        _ = stopped => {}
    }
    let step = Duration::from_secs(STOP_STEP_SECONDS);
    let mut status = tokio::time::timeout(step, child.wait()).await;
    if status.is_err() {
        signal(group, Signal::TERM);
        status = tokio::time::timeout(step, child.wait()).await;
    }
    // Ends what the agent left behind in its group.
    signal(group, Signal::KILL);
    match status {
        Ok(status) => status.ok(),
        Err(_) => child.wait().await.ok(),
    }
}

fn signal(group: Option<Pid>, signal: Signal) {
    if let Some(group) = group {
        let _ = kill_process_group(group, signal);
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
    let mut child = Command::new(&launch.program)
        .args(&launch.arguments)
        .current_dir(&launch.folder)
        .envs(launch.environment.iter().cloned())
        .env(orphans::MARK, &launch.mark)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("couldn't be started: {error}"))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let running = async {
        let (stdout, stderr) = tokio::join!(read_bounded(stdout), read_bounded(stderr));
        let status = child.wait().await?;
        Ok::<_, std::io::Error>(FinishedProgram { success: status.success(), stdout, stderr })
    };
    let finished = tokio::time::timeout(Duration::from_secs(PROBE_SECONDS), running).await;
    let mark = launch.mark.clone();
    let _ = tokio::task::spawn_blocking(move || orphans::end(&mark)).await;
    match finished {
        Ok(Ok(finished)) => Ok(finished),
        Ok(Err(error)) => Err(format!("couldn't be started: {error}")),
        Err(_) => Err(format!("didn't respond within {PROBE_SECONDS} seconds")),
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
