//! `pilothouse supervise`: the process between the server and a program that it starts (Linux only). Everything that the
//! program starts stays below the supervisor, because it is a child subreaper, and ends with the program, with the server,
//! or when the server asks for it with TERM.
//!
//! It is the same binary in steps, since setting up a process between fork and exec would need `unsafe`: the supervisor
//! starts itself once more, and that process sets itself up and becomes the program.

use std::ffi::OsString;
use std::io::{Error, Result};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process,
    pidfd_open, set_child_subreaper, set_parent_process_death_signal, setrlimit, wait,
};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;

use super::{cgroup, descendants};

/// The binary of this process, also after the file was replaced by a newer one.
pub const THIS_PROGRAM: &str = "/proc/self/exe";

pub const SUPERVISE: &str = "supervise";

/// The second step.
const BECOME: &str = "supervise-become";

/// The last step, if the program was ended by a signal.
const DIE: &str = "supervise-die";

/// The exit codes of a program that could not be started, as in a shell.
const NOT_STARTED: u8 = 126;
const NOT_FOUND: u8 = 127;

/// A process that cannot be killed, because the kernel waits for a device or because it belongs to another user, does
/// not hold the supervisor for longer than this.
const PATIENCE: Duration = Duration::from_secs(5);

/// The words after `supervise`: the process id of the parent, the program's control group, if it has one, and after
/// `--` the program with its arguments.
#[derive(Debug, PartialEq, Eq)]
struct Arguments {
    parent: Pid,
    cgroup: Option<PathBuf>,
    program: OsString,
    arguments: Vec<OsString>,
}

/// The command line of a supervisor. The caller adds the program and its arguments.
pub fn command_line(server: u32, cgroup: Option<&Path>) -> Vec<OsString> {
    let mut words = vec![SUPERVISE.into()];
    words.extend(words_before_program(&server.to_string(), cgroup));
    words
}

fn words_before_program(parent: &str, cgroup: Option<&Path>) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec!["--parent".into(), parent.into()];
    words.extend(cgroup.into_iter().flat_map(|folder| ["--cgroup".into(), folder.into()]));
    words.push("--".into());
    words
}

impl Arguments {
    fn parse(mut words: impl Iterator<Item = OsString>) -> Option<Self> {
        let (mut parent, mut cgroup) = (None, None);
        loop {
            match words.next()?.to_str()? {
                "--parent" => parent = words.next()?.to_str()?.parse().ok().and_then(Pid::from_raw),
                "--cgroup" => cgroup = Some(PathBuf::from(words.next()?)),
                "--" => break,
                _ => return None,
            }
        }
        Some(Self { parent: parent?, cgroup, program: words.next()?, arguments: words.collect() })
    }
}

/// Runs one of the steps if the command line asks for it.
pub fn run_if_asked(mut words: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let step = words.next()?;
    let run = match step.to_str()? {
        SUPERVISE => supervise,
        BECOME => become_program,
        DIE => return Some(die_by(words.next()?.to_str()?.parse().ok()?)),
        _ => return None,
    };
    let Some(arguments) = Arguments::parse(words) else {
        eprintln!("pilothouse: '{}' is used by the server only", step.display());
        return Some(ExitCode::from(2));
    };
    Some(run(&arguments))
}

fn supervise(arguments: &Arguments) -> ExitCode {
    // Signal handlers are installed before the program starts, so that no end of a process is missed.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
    let status = runtime.and_then(|runtime| runtime.block_on(start_and_wait(arguments)));
    match status {
        Ok(status) => exit_as(status),
        Err(error) => {
            eprintln!("pilothouse: cannot supervise '{}': {error}", arguments.program.display());
            ExitCode::from(NOT_STARTED)
        }
    }
}

/// Starts the program and returns how it ended, after everything that it started has ended, too.
async fn start_and_wait(arguments: &Arguments) -> Result<Option<WaitStatus>> {
    let mut ended_children = signal(SignalKind::child())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    let mut server_gone = watch(arguments.parent)?;
    set_child_subreaper(Some(getpid()))?;
    let program = start_program(arguments)?;
    release_standard_streams();
    let mut status = None;
    loop {
        reap(program, &mut status);
        if status.is_some() {
            break;
        }
        tokio::select! {
            _ = ended_children.recv() => {}
            _ = terminate.recv() => break,
            _ = interrupt.recv() => break,
            _ = hang_up.recv() => break,
            _ = &mut server_gone => break,
        }
    }
    end_all(program, &mut status, arguments.cgroup.as_deref());
    Ok(status)
}

/// Reports the end of the server, which is the end of everything. A parent-death signal would follow the thread that
/// started the supervisor, and the end of a pipe could be held open by another process; a descriptor of the process is
/// exact.
fn watch(server: Pid) -> Result<oneshot::Receiver<()>> {
    // Linux before 5.3 and some containers have no such descriptors.
    let descriptor = pidfd_open(server, PidfdFlags::empty()).ok();
    // The id may have been reused if the server ended before the descriptor existed.
    if getppid() != Some(server) {
        return Err(Error::other("the server has ended"));
    }
    let (gone, watched) = oneshot::channel();
    // In a thread, because tokio's registration of descriptors is unsafe. It uses 4 KB of its stack.
    std::thread::Builder::new().stack_size(64 * 1024).spawn(move || {
        match descriptor {
            Some(descriptor) => {
                let mut polled = [PollFd::new(&descriptor, PollFlags::IN)];
                while matches!(poll(&mut polled, None), Ok(0) | Err(rustix::io::Errno::INTR)) {}
            }
            None => {
                while getppid() == Some(server) {
                    std::thread::sleep(Duration::from_millis(500));
                }
            }
        }
        let _ = gone.send(());
    })?;
    Ok(watched)
}

fn start_program(arguments: &Arguments) -> Result<Pid> {
    let own = getpid().as_raw_nonzero().to_string();
    let mut command = Command::new(THIS_PROGRAM);
    command
        .arg0("pilothouse")
        .arg(BECOME)
        .args(words_before_program(&own, arguments.cgroup.as_deref()))
        .arg(&arguments.program)
        .args(&arguments.arguments)
        // A signal to the program's group, such as `kill 0` in a script, does not reach the supervisor.
        .process_group(0);
    let program = command.spawn()?;
    Pid::from_raw(program.id().cast_signed()).ok_or_else(|| Error::other("the process has no id"))
}

/// Closes the standard streams, which belong to the program: the server sees it when the program closes them.
fn release_standard_streams() {
    if let Ok(null) = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()) {
        let _ = rustix::stdio::dup2_stdin(&null);
        let _ = rustix::stdio::dup2_stdout(&null);
        let _ = rustix::stdio::dup2_stderr(&null);
    }
}

/// Collects ended children, the program or adopted ones. Returns whether children are left.
fn reap(program: Pid, status: &mut Option<WaitStatus>) -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((process, ended))) if process == program => *status = Some(ended),
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

/// Kills every child until none is left. That needs no search for grandchildren: the children of a killed process become
/// ours. It is free of races: the id of a child is not reused before we have waited for it.
fn end_all(program: Pid, status: &mut Option<WaitStatus>, cgroup: Option<&Path>) {
    let start = Instant::now();
    let mut pause = Duration::from_micros(50);
    while reap(program, status) && start.elapsed() < PATIENCE {
        if let Some(folder) = cgroup {
            cgroup::kill(folder);
        }
        for child in descendants::children_of_this_process() {
            let _ = kill_process(child, Signal::KILL);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
    if let Some(folder) = cgroup {
        cgroup::remove(folder);
    }
}

/// Ends this process as the program has ended: with its exit code, or by the same signal.
fn exit_as(status: Option<WaitStatus>) -> ExitCode {
    let Some(status) = status else { return ExitCode::FAILURE };
    if let Some(signal) = status.terminating_signal() {
        // Handlers of signals are in the way. They end with this program, and the process starts another one.
        let error = Command::new(THIS_PROGRAM).arg0("pilothouse").arg(DIE).arg(signal.to_string()).exec();
        eprintln!("pilothouse: cannot end by signal {signal}: {error}");
        return code_for_signal(signal);
    }
    let code = status.exit_status().and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}

fn die_by(number: i32) -> ExitCode {
    // The program may have left a core file; this process has nothing to tell.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    if let Some(signal) = Signal::from_named_raw(number) {
        // The handler that Rust installs for some signals replaces itself by the default action.
        for _ in 0..2 {
            let _ = kill_process(getpid(), signal);
        }
    }
    code_for_signal(number)
}

fn code_for_signal(number: i32) -> ExitCode {
    ExitCode::from(u8::try_from(128 + number).unwrap_or(u8::MAX))
}

/// The second step: joins the control group, asks for a signal if the supervisor dies, and becomes the program.
fn become_program(arguments: &Arguments) -> ExitCode {
    let failed = |what: &dyn std::fmt::Display, code: u8| {
        eprintln!("pilothouse: could not start '{}': {what}", arguments.program.display());
        ExitCode::from(code)
    };
    if let Some(folder) = &arguments.cgroup
        && let Err(error) = cgroup::join(folder)
    {
        return failed(
            &format_args!("cannot join the control group {}: {error}", folder.display()),
            NOT_STARTED,
        );
    }
    // The thread that started this process is the supervisor's first, which lives as long as the supervisor.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    if getppid() != Some(arguments.parent) {
        return ExitCode::from(NOT_STARTED);
    }
    let error = Command::new(&arguments.program).args(&arguments.arguments).exec();
    let is_missing = error.kind() == std::io::ErrorKind::NotFound;
    failed(&error, if is_missing { NOT_FOUND } else { NOT_STARTED })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> std::vec::IntoIter<OsString> {
        words.iter().map(OsString::from).collect::<Vec<_>>().into_iter()
    }

    #[test]
    fn the_command_line_is_read_as_it_is_written() {
        let mut written = command_line(7, Some(Path::new("/groups/a b")));
        written.extend(words(&["sh", "--parent", "--", "-c"]));
        let read = Arguments::parse(written.into_iter().skip(1)).unwrap();
        assert_eq!((read.parent, read.cgroup), (Pid::from_raw(7).unwrap(), Some("/groups/a b".into())));
        assert_eq!((read.program.to_str(), read.arguments.len()), (Some("sh"), 3));
    }

    #[test]
    fn other_command_lines_are_not_for_the_supervisor() {
        assert!(run_if_asked(words(&["demo-agent"])).is_none());
        for incomplete in [&["--parent", "7"][..], &["--parent", "0", "--", "sh"], &["--", "sh"], &["x"]] {
            assert_eq!(Arguments::parse(words(incomplete)), None, "{incomplete:?}");
        }
    }
}
