//! Runs a shell command for real: in the session's folder, in a process group of its own, its output streamed.
//!
//! Serves both the `bash` tool and the user's own `bash` command, and knows neither.

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

/// Output that comes faster than this is joined.
const JOIN_FOR: Duration = Duration::from_millis(50);
/// So much is handed on at once even within that time.
const JOIN_AT_MOST: usize = 64 * 1024;
/// How long a background process may hold the pipe open after the command itself has ended.
const LINGER: Duration = Duration::from_millis(100);

pub(crate) struct ShellCommand<'a> {
    pub(crate) command: &'a str,
    pub(crate) folder: &'a Path,
    pub(crate) cancel: &'a Cancel,
    /// Hand on every piece of text; otherwise only that there is more.
    pub(crate) every_piece: bool,
}

pub(crate) struct Ended {
    pub(crate) captured: Captured,
    /// `None` if it was cancelled or ended by a signal.
    pub(crate) exit_code: Option<i32>,
    pub(crate) cancelled: bool,
}

/// Runs to the end. `on_output` gets each new piece of text, if so wished, and everything so far.
pub(crate) async fn run(
    shell: ShellCommand<'_>,
    groups: &ProcessGroups,
    output: &Output,
    mut on_output: impl FnMut(&str, &Captured),
) -> io::Result<Ended> {
    // One pipe for both streams keeps their lines in order.
    let (reader, writer) = io::pipe()?;
    let mut child = start(&shell, writer)?;
    let group = Group::of(&child, groups);
    let mut source = pipe::Receiver::from_owned_fd(reader.into())?;
    let mut captured = Captured::default();
    let mut joined = Joined { text: String::new(), every_piece: shell.every_piece, fresh: false };
    let mut handed_on: Option<Instant> = None;
    let mut bytes = vec![0; 32 * 1024];
    let mut status = None;
    loop {
        let due = handed_on.map_or(Duration::ZERO, |last| JOIN_FOR.saturating_sub(last.elapsed()));
        if joined.fresh && (due.is_zero() || joined.text.len() >= JOIN_AT_MOST) {
            on_output(&joined.take(), &captured);
            handed_on = Some(Instant::now());
            output.keep_pace().await;
            continue;
        }
        tokio::select! {
            () = shell.cancel.cancelled() => break,
            read = read(&mut source, &mut bytes, status.is_some()) => match read? {
                0 => break,
                count => joined.add(&captured.push(&bytes[..count])),
            },
            ended = child.wait(), if status.is_none() => status = Some(ended?),
            () = tokio::time::sleep(due), if joined.fresh => {}
        }
    }
    let cancelled = shell.cancel.is_cancelled();
    if cancelled {
        group.kill();
    }
    let status = match status {
        Some(status) => status,
        // The pipe may close before the command ends; an abort still counts then.
        None => tokio::select! {
            ended = child.wait() => ended?,
            () = shell.cancel.cancelled(), if !cancelled => {
                group.kill();
                child.wait().await?
            }
        },
    };
    joined.add(&captured.finish());
    if joined.fresh {
        on_output(&joined.take(), &captured);
    }
    let cancelled = shell.cancel.is_cancelled();
    Ok(Ended { captured, exit_code: status.code().filter(|_| !cancelled), cancelled })
}

/// Output that has come but was not handed on.
struct Joined {
    text: String,
    every_piece: bool,
    fresh: bool,
}

impl Joined {
    fn add(&mut self, text: &str) {
        self.fresh |= !text.is_empty();
        if self.every_piece {
            self.text.push_str(text);
        }
    }

    fn take(&mut self) -> String {
        self.fresh = false;
        std::mem::take(&mut self.text)
    }
}

fn start(shell: &ShellCommand, writer: io::PipeWriter) -> io::Result<Child> {
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

/// Reads what there is; once the command has ended, a quiet pipe counts as closed.
async fn read(source: &mut pipe::Receiver, bytes: &mut [u8], ended: bool) -> io::Result<usize> {
    if ended { timeout(LINGER, source.read(bytes)).await.unwrap_or(Ok(0)) } else { source.read(bytes).await }
}

/// The command's process group. Going out of scope ends whatever is left of it.
struct Group<'a> {
    id: Option<Pid>,
    groups: &'a ProcessGroups,
}

impl<'a> Group<'a> {
    fn of(child: &Child, groups: &'a ProcessGroups) -> Self {
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

impl Drop for Group<'_> {
    fn drop(&mut self) {
        self.kill();
        if let Some(id) = self.id {
            self.groups.remove(id);
        }
    }
}

#[derive(Clone, Default)]
pub(crate) struct ProcessGroups(Arc<Mutex<HashSet<Pid>>>);

impl ProcessGroups {
    pub(crate) fn add(&self, group: Pid) {
        self.groups(|groups| groups.insert(group));
    }

    pub(crate) fn remove(&self, group: Pid) {
        self.groups(|groups| groups.remove(&group));
    }

    pub(crate) fn kill(&self, group: Pid) {
        // It may have ended by itself in the meantime.
        let _ = kill_process_group(group, Signal::KILL);
    }

    pub(crate) fn kill_all(&self) {
        self.groups(|groups| {
            for group in groups.drain() {
                self.kill(group);
            }
        });
    }

    fn groups<T>(&self, act: impl FnOnce(&mut HashSet<Pid>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
