//! The server's side of a supervisor: starts it, finds the processes below it and ends those that have to end.

use std::collections::HashSet;
use std::io::{Error, Result};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{Access, access};
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, pidfd_open, waitid};
use tokio::process::Command;

use super::descendants::{self, Entry};
use super::tree::STOP_STEP;
use super::{Launch, Leftovers, cgroup, supervisor};

/// A moment, to tell processes that were started before it from those that were started after it.
pub type Moment = u64;

pub fn now() -> Moment {
    descendants::now()
}

/// What is decided before a supervisor starts.
#[derive(Debug)]
pub struct Prepared {
    cgroup: Option<PathBuf>,
    is_sandboxed: bool,
}

/// A program below a supervisor.
#[derive(Debug)]
pub struct Supervised {
    supervisor: Pid,
    /// Refers to the supervisor even if its id is reused. `None` on Linux before 5.3.
    descriptor: Option<OwnedFd>,
    cgroup: Option<PathBuf>,
    /// The program is `bwrap`, which starts the agent below itself.
    is_sandboxed: bool,
}

impl Supervised {
    /// The command that supervises a program; the program and its arguments follow. `None` in unit tests, whose program
    /// cannot supervise.
    pub fn prepare(launch: &Launch) -> Result<Option<(Command, Prepared)>> {
        if cfg!(test) {
            return Ok(None);
        }
        // The supervisor always starts, so what is wrong with the program is found out here.
        check_program(launch)?;
        let cgroup = cgroup::create(&launch.limits);
        let mut command = Command::new(supervisor::THIS_PROGRAM);
        command.arg0("pilothouse").args(supervisor::command_line(std::process::id(), cgroup.as_deref()));
        Ok(Some((command, Prepared { cgroup, is_sandboxed: launch.sandbox.is_some() })))
    }

    /// Sends TERM to everything below the supervisor.
    pub fn terminate(&self) {
        let processes = self.processes();
        let wrappers = self.wrappers(&processes);
        for process in processes.iter().filter(|process| !wrappers.contains(&process.id)) {
            descendants::send(process, Signal::TERM);
        }
    }

    /// Kills everything below a supervisor that does not do it itself.
    pub fn kill(&self) {
        if let Some(folder) = &self.cgroup {
            cgroup::kill(folder);
        }
        kill_all(|| self.processes());
    }

    /// Ends what outlived a supervisor that was killed.
    pub fn ended(&self) {
        if let Some(folder) = &self.cgroup {
            cgroup::kill(folder);
            cgroup::remove(folder);
        }
    }

    /// Ends what was started since a moment: TERM, then KILL. Returns once it has ended.
    pub fn end_started_since(&self, since: Moment, which: Leftovers) {
        let leftovers = || self.started_since(since, which);
        let mut found = leftovers();
        if found.is_empty() {
            return;
        }
        tracing::info!(count = found.len(), "ending processes that a stopped turn or command left behind");
        let start = Instant::now();
        found.iter().for_each(|process| descendants::send(process, Signal::TERM));
        while !found.is_empty() && start.elapsed() < STOP_STEP {
            std::thread::sleep(PAUSE);
            found = leftovers();
        }
        kill_all(leftovers);
    }

    fn started_since(&self, since: Moment, which: Leftovers) -> Vec<Entry> {
        let processes = self.processes();
        let wrappers = self.wrappers(&processes);
        let program = first_below(self.supervisor.as_raw_nonzero().get(), &processes);
        let innermost = wrappers.last().map_or(program, |wrapper| first_below(*wrapper, &processes));
        let agent = wrappers.iter().copied().chain(program).chain(innermost).collect();
        let mut reapers: HashSet<i32> = wrappers.into_iter().collect();
        reapers.insert(self.supervisor.as_raw_nonzero().get());
        descendants::started_since(&processes, since, (&agent, &reapers), which, descendants::reads_from_pipe)
    }

    /// Everything below the supervisor; nothing once it has ended.
    fn processes(&self) -> Vec<Entry> {
        let processes = descendants::below(self.supervisor);
        // Checked afterwards: if it runs now, its id was not reused before.
        if self.is_running() { processes } else { Vec::new() }
    }

    fn is_running(&self) -> bool {
        use std::os::fd::AsFd;
        let Some(descriptor) = &self.descriptor else { return true };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        matches!(waitid(WaitId::PidFd(descriptor.as_fd()), options), Ok(None))
    }

    /// The processes of the sandbox itself: `bwrap` and, below it, the first process of the sandbox, which adopts orphans.
    fn wrappers(&self, processes: &[Entry]) -> Vec<i32> {
        if !self.is_sandboxed {
            return Vec::new();
        }
        let outer = first_below(self.supervisor.as_raw_nonzero().get(), processes);
        let inner = outer.and_then(|outer| first_below(outer, processes));
        outer.into_iter().chain(inner).collect()
    }
}

/// The child that was started first: adopted children are younger.
fn first_below(parent: i32, processes: &[Entry]) -> Option<i32> {
    let children = processes.iter().filter(|process| process.parent == parent);
    children.min_by_key(|child| (child.started, child.id)).map(|child| child.id)
}

impl Prepared {
    pub fn started(self, supervisor: Pid) -> Supervised {
        let Self { cgroup, is_sandboxed } = self;
        let descriptor = pidfd_open(supervisor, PidfdFlags::empty()).ok();
        Supervised { supervisor, descriptor, cgroup, is_sandboxed }
    }
}

/// The time between two looks at processes that are ending.
const PAUSE: Duration = Duration::from_millis(20);

/// Kills processes until none is found. One that cannot be killed is given up.
fn kill_all(find: impl Fn() -> Vec<Entry>) {
    let start = Instant::now();
    loop {
        let found = find();
        if found.is_empty() || start.elapsed() > STOP_STEP {
            return;
        }
        found.iter().for_each(|process| descendants::send(process, Signal::KILL));
        std::thread::sleep(PAUSE);
    }
}

/// Returns the error that starting the program would return.
fn check_program(launch: &Launch) -> Result<()> {
    if !launch.folder.is_dir() {
        return Err(Error::from(rustix::io::Errno::NOENT));
    }
    let check = |path: &Path| {
        let path = launch.folder.join(path);
        access(&path, Access::EXEC_OK)?;
        if path.is_dir() { Err(rustix::io::Errno::ACCESS) } else { Ok(()) }
    };
    if launch.program.contains('/') {
        return Ok(check(Path::new(&launch.program))?);
    }
    let own = launch.environment.iter().rfind(|(name, _)| name == "PATH").map(|(_, path)| path.into());
    let path =
        own.or_else(|| std::env::var_os("PATH")).unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    let is_found = std::env::split_paths(&path).any(|folder| check(&folder.join(&launch.program)).is_ok());
    if is_found { Ok(()) } else { Err(Error::from(rustix::io::Errno::NOENT)) }
}
