//! A program and everything that it starts. On Linux a supervisor keeps it together; elsewhere, and in unit tests, whose
//! program is not ours, it is a process group and, where the system shows environments, a mark in them.

use std::ffi::OsString;
use std::future::Future;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use pilothouse_core::limits::STOP_STEP_MILLISECONDS;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use super::Launch;
use super::sandbox::{self, BUBBLEWRAP};
use super::supervised::{Prepared, Supervised};
use crate::agent::orphans;

/// The time between TERM and KILL.
pub const STOP_STEP: Duration = Duration::from_millis(STOP_STEP_MILLISECONDS);

/// A running program with everything that it starts. Dropping it ends them.
#[derive(Debug)]
pub struct ProcessTree {
    /// The supervisor, else the program itself.
    child: Child,
    mark: String,
    supervised: Option<Arc<Supervised>>,
}

/// The standard streams of a program.
pub struct Streams {
    pub input: Stdio,
    pub output: Stdio,
    pub errors: Stdio,
}

impl ProcessTree {
    /// Starts a program. An error is for the user.
    pub async fn start(launch: &Launch, streams: Streams) -> Result<Self> {
        if launch.sandbox.is_some() {
            sandbox::check().await?;
        }
        let preparing = launch.clone();
        let (mut command, prepared) = tokio::task::spawn_blocking(move || command(&preparing)).await??;
        let child = command
            .current_dir(&launch.folder)
            .envs(launch.environment.iter().cloned())
            .env(orphans::MARK, &launch.mark)
            .stdin(streams.input)
            .stdout(streams.output)
            .stderr(streams.errors)
            .process_group(0)
            // A supervisor that is killed cannot end the rest.
            .kill_on_drop(prepared.is_none())
            .spawn()
            .with_context(|| not_started(launch))?;
        let supervised = prepared.zip(id(&child)).map(|(prepared, id)| Arc::new(prepared.started(id)));
        Ok(Self { child, mark: launch.mark.clone(), supervised })
    }

    pub fn take_streams(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        (self.child.stdin.take(), self.child.stdout.take(), self.child.stderr.take())
    }

    pub fn supervised(&self) -> Option<Arc<Supervised>> {
        self.supervised.clone()
    }

    /// Waits for the end of the program and ends what it left behind. When `stop` completes, the program has the returned
    /// time to end by itself; then everything gets TERM, and after a while KILL.
    pub async fn run(mut self, stop: impl Future<Output = Duration>) -> Option<ExitStatus> {
        let status = tokio::select! {
            status = self.child.wait() => status.ok(),
            grace = stop => self.stop(grace).await,
        };
        if self.supervised.is_none() {
            self.signal_group(Signal::KILL);
        }
        // The program has ended, but its supervisor may have been killed before.
        let (mark, supervised) = (self.mark.clone(), self.supervised.clone());
        let cleaned = tokio::task::spawn_blocking(move || {
            if let Some(supervised) = supervised {
                supervised.ended();
            }
            orphans::end(&mark);
        });
        let _ = cleaned.await;
        status
    }

    async fn stop(&mut self, grace: Duration) -> Option<ExitStatus> {
        if let Ok(status) = tokio::time::timeout(grace, self.child.wait()).await {
            return status.ok();
        }
        match self.supervised.clone() {
            Some(supervised) => drop(tokio::task::spawn_blocking(move || supervised.terminate()).await),
            None => self.signal_group(Signal::TERM),
        }
        if let Ok(status) = tokio::time::timeout(STOP_STEP, self.child.wait()).await {
            return status.ok();
        }
        match self.supervised.clone() {
            Some(supervised) => {
                self.ask_supervisor_to_end();
                if let Ok(status) = tokio::time::timeout(STOP_STEP, self.child.wait()).await {
                    return status.ok();
                }
                // The supervisor is stopped, or a process cannot be killed.
                let _ = tokio::task::spawn_blocking(move || supervised.kill()).await;
                let _ = self.child.start_kill();
            }
            None => self.signal_group(Signal::KILL),
        }
        self.child.wait().await.ok()
    }

    fn ask_supervisor_to_end(&self) {
        if let Some(id) = id(&self.child) {
            let _ = kill_process(id, Signal::TERM);
        }
    }

    fn signal_group(&self, signal: Signal) {
        if let Some(group) = id(&self.child) {
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for ProcessTree {
    fn drop(&mut self) {
        // Without an id the program has ended.
        match self.supervised {
            Some(_) => self.ask_supervisor_to_end(),
            None => self.signal_group(Signal::KILL),
        }
    }
}

/// The id of a child that was not waited for, so that it is not reused.
fn id(child: &Child) -> Option<Pid> {
    child.id().and_then(|id| Pid::from_raw(id.cast_signed()))
}

fn not_started(launch: &Launch) -> String {
    format!("could not start '{}' in {}", launch.program, launch.folder.display())
}

/// The command that starts the program, in its sandbox if it has one, below a supervisor if there is one. Reads the disk.
fn command(launch: &Launch) -> Result<(Command, Option<Prepared>)> {
    let mut words = vec![OsString::from(&launch.program)];
    words.extend(launch.arguments.iter().map(OsString::from));
    if let Some(sandbox) = &launch.sandbox {
        sandbox.create_missing();
        let before = sandbox.arguments(&launch.folder, Path::new(&launch.program));
        words.splice(0..0, std::iter::once(BUBBLEWRAP.into()).chain(before));
    }
    let (mut command, prepared) = match Supervised::prepare(launch).with_context(|| not_started(launch))? {
        Some((command, prepared)) => (command, Some(prepared)),
        None => (Command::new(words.remove(0)), None),
    };
    command.args(words);
    Ok((command, prepared))
}
