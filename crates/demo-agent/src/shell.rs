//! Shell commands: run in the session's folder, each in its own process group, with streamed output.
//!
//! Used by the `bash` tool and by the user's `bash` command.

mod captured;
pub(crate) mod truncation;

use std::{
    collections::HashSet,
    io,
    path::Path,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::{
    io::AsyncReadExt,
    net::unix::pipe,
    process::{Child, Command},
    time::timeout,
};

use crate::{pace::Cancel, stdio::Output};
pub(crate) use captured::Captured;

/// The minimum time between two updates; output that arrives in between is batched.
const BATCH_INTERVAL: Duration = Duration::from_millis(50);
/// A batch of this size is sent without waiting for the interval.
const MAX_BATCH: usize = 64 * 1024;
/// How long the output may stay silent after the command has ended, before background processes that hold the pipe
/// open are ignored.
const LINGER: Duration = Duration::from_millis(100);

pub(crate) struct ShellCommand<'a> {
    pub(crate) command: &'a str,
    pub(crate) folder: &'a Path,
    pub(crate) cancel: &'a Cancel,
    /// Whether `on_output` needs the new text; otherwise it gets an empty string.
    pub(crate) with_deltas: bool,
}

pub(crate) struct ShellResult {
    pub(crate) captured: Captured,
    /// `None` if the command was cancelled or ended by a signal.
    pub(crate) exit_code: Option<i32>,
    pub(crate) cancelled: bool,
}

/// Runs a command to its end. Calls `on_output` with the new text and all output so far.
pub(crate) async fn run(
    shell: ShellCommand<'_>,
    groups: &ProcessGroups,
    output: &Output,
    mut on_output: impl FnMut(&str, &Captured),
) -> io::Result<ShellResult> {
    // stdout and stderr share one pipe, which keeps their lines in order.
    let (reader, writer) = io::pipe()?;
    let mut child = spawn(&shell, writer)?;
    let group = GroupGuard::new(&child, groups);
    let mut source = pipe::Receiver::from_owned_fd(reader.into())?;
    let mut captured = Captured::default();
    let mut batch = OutputBatch { text: String::new(), with_deltas: shell.with_deltas, has_output: false };
    let mut last_sent: Option<Instant> = None;
    let mut bytes = vec![0; 32 * 1024];
    let mut status = None;
    loop {
        let due = last_sent.map_or(Duration::ZERO, |last| BATCH_INTERVAL.saturating_sub(last.elapsed()));
        if batch.has_output && (due.is_zero() || batch.text.len() >= MAX_BATCH) {
            on_output(&batch.take(), &captured);
            last_sent = Some(Instant::now());
            output.wait_for_room().await;
            continue;
        }
        tokio::select! {
            () = shell.cancel.cancelled() => break,
            read = read(&mut source, &mut bytes, status.is_some()) => match read? {
                0 => break,
                count => batch.add(&captured.push(&bytes[..count])),
            },
            ended = child.wait(), if status.is_none() => status = Some(ended?),
            () = tokio::time::sleep(due), if batch.has_output => {}
        }
    }
    let cancelled = shell.cancel.is_cancelled();
    if cancelled {
        group.kill();
    }
    let status = match status {
        Some(status) => status,
        // The pipe may close before the command ends, so an abort is still possible here.
        None => tokio::select! {
            ended = child.wait() => ended?,
            () = shell.cancel.cancelled(), if !cancelled => {
                group.kill();
                child.wait().await?
            }
        },
    };
    batch.add(&captured.finish());
    if batch.has_output {
        on_output(&batch.take(), &captured);
    }
    let cancelled = shell.cancel.is_cancelled();
    Ok(ShellResult { captured, exit_code: status.code().filter(|_| !cancelled), cancelled })
}

/// Output that was read but not yet passed to `on_output`.
struct OutputBatch {
    text: String,
    with_deltas: bool,
    has_output: bool,
}

impl OutputBatch {
    fn add(&mut self, text: &str) {
        self.has_output |= !text.is_empty();
        if self.with_deltas {
            self.text.push_str(text);
        }
    }

    fn take(&mut self) -> String {
        self.has_output = false;
        std::mem::take(&mut self.text)
    }
}

fn spawn(shell: &ShellCommand, writer: io::PipeWriter) -> io::Result<Child> {
    let program = if Path::new("/bin/bash").exists() { "/bin/bash" } else { "sh" };
    Command::new(program)
        .arg("-c")
        .arg(shell.command)
        .current_dir(shell.folder)
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .process_group(0)
        .spawn()
}

/// Reads available output. Once the command has ended, a silent pipe counts as closed.
async fn read(source: &mut pipe::Receiver, bytes: &mut [u8], ended: bool) -> io::Result<usize> {
    if ended { timeout(LINGER, source.read(bytes)).await.unwrap_or(Ok(0)) } else { source.read(bytes).await }
}

/// The process group of a command. Dropping it kills the processes that are left.
struct GroupGuard<'a> {
    id: Option<Pid>,
    groups: &'a ProcessGroups,
}

impl<'a> GroupGuard<'a> {
    fn new(child: &Child, groups: &'a ProcessGroups) -> Self {
        let id = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        if let Some(id) = id {
            groups.add(id);
        }
        Self { id, groups }
    }

    fn kill(&self) {
        if let Some(id) = self.id {
            self.groups.kill(id);
        }
    }
}

impl Drop for GroupGuard<'_> {
    fn drop(&mut self) {
        self.kill();
        if let Some(id) = self.id {
            self.groups.remove(id);
        }
    }
}

/// The process groups of all running commands, so that none of them outlives the agent.
#[derive(Clone, Default)]
pub(crate) struct ProcessGroups(Arc<Mutex<HashSet<Pid>>>);

impl ProcessGroups {
    pub(crate) fn add(&self, group: Pid) {
        self.with(|groups| groups.insert(group));
    }

    pub(crate) fn remove(&self, group: Pid) {
        self.with(|groups| groups.remove(&group));
    }

    pub(crate) fn kill(&self, group: Pid) {
        // Fails if the group has already ended.
        let _ = kill_process_group(group, Signal::KILL);
    }

    pub(crate) fn kill_all(&self) {
        self.with(|groups| {
            for group in groups.drain() {
                self.kill(group);
            }
        });
    }

    fn with<T>(&self, act: impl FnOnce(&mut HashSet<Pid>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
