//! The processes below another one, read from `/proc`.

use std::collections::{HashMap, HashSet};
use std::io::ErrorKind;

use rustix::param::clock_ticks_per_second;
use rustix::process::{Pid, PidfdFlags, Signal, getpid, kill_process, pidfd_open, pidfd_send_signal};
use rustix::time::{ClockId, clock_gettime};

use super::Leftovers;

/// A running process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub id: i32,
    pub parent: i32,
    /// When the process started, as in [`now`]. Together with the id it identifies the process.
    pub started: u64,
}

/// The time since the system's start, in the unit in which the kernel tells the start of a process.
pub fn now() -> u64 {
    let time = clock_gettime(ClockId::Boottime);
    let ticks = clock_ticks_per_second();
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    seconds * ticks + u64::try_from(time.tv_nsec).unwrap_or_default() * ticks / 1_000_000_000
}

/// All processes below `root`, parents before their children. A process that only waits to be collected is not one.
pub fn below(root: Pid) -> Vec<Entry> {
    let mut children: HashMap<i32, Vec<Entry>> = HashMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let id = entry.file_name().to_str().and_then(|name| name.parse().ok());
        if let Some(entry) = id.and_then(read) {
            children.entry(entry.parent).or_default().push(entry);
        }
    }
    let mut found: Vec<Entry> = children.remove(&root.as_raw_nonzero().get()).unwrap_or_default();
    let mut next = 0;
    while let Some(entry) = found.get(next) {
        found.extend(children.remove(&entry.id).unwrap_or_default());
        next += 1;
    }
    found
}

/// Whether this process started another one, directly or through others. One that is not found, because it has ended, may
/// have been.
pub fn may_be_below_this_process(id: i32) -> bool {
    let own = getpid().as_raw_nonzero().get();
    let mut ancestor = id;
    // Bounded, since ids may be reused while they are followed.
    for _ in 0..1_000 {
        match read(ancestor) {
            _ if ancestor == own => return true,
            Some(entry) if entry.parent > 0 => ancestor = entry.parent,
            Some(_) => return false,
            None => return true,
        }
    }
    true
}

/// The direct children of this process, which starts processes in its first thread only. Adopted ones are that thread's.
pub fn children_of_this_process() -> Vec<Pid> {
    match std::fs::read_to_string("/proc/thread-self/children") {
        Ok(children) => {
            children.split_whitespace().filter_map(|id| id.parse().ok().and_then(Pid::from_raw)).collect()
        }
        // The kernel was built without this file.
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let own = getpid();
            let children = below(own).into_iter().filter(|entry| entry.parent == own.as_raw_nonzero().get());
            children.filter_map(|entry| Pid::from_raw(entry.id)).collect()
        }
        Err(_) => Vec::new(),
    }
}

fn read(id: i32) -> Option<Entry> {
    parse(id, &read_stat(id)?)
}

/// A process, and whether it has a terminal.
pub fn read_with_terminal(id: i32) -> Option<(Entry, bool)> {
    let stat = read_stat(id)?;
    let terminal = stat.rsplit_once(')').and_then(|(_, fields)| fields.split_whitespace().nth(4));
    Some((parse(id, &stat)?, terminal.is_some_and(|device| device != "0")))
}

fn read_stat(id: i32) -> Option<String> {
    // The name in it may contain any bytes.
    Some(String::from_utf8_lossy(&std::fs::read(format!("/proc/{id}/stat")).ok()?).into_owned())
}

fn parse(id: i32, stat: &str) -> Option<Entry> {
    // The name of the program, in brackets, may contain anything.
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let is_ended = matches!(*fields.first()?, "Z" | "X");
    let parent = fields.get(1)?.parse().ok()?;
    let started = fields.get(19)?.parse().ok()?;
    (!is_ended).then_some(Entry { id, parent, started })
}

/// Sends a signal to exactly this process, whatever has its id by now.
pub fn send(process: &Entry, signal: Signal) {
    let Some(id) = Pid::from_raw(process.id) else { return };
    let descriptor = pidfd_open(id, PidfdFlags::empty());
    if read(process.id).is_none_or(|now| now.started != process.started) {
        return;
    }
    let _ = match descriptor {
        Ok(descriptor) => pidfd_send_signal(descriptor, signal),
        // Without such descriptors the check above has to do.
        Err(rustix::io::Errno::NOSYS) => kill_process(id, signal),
        Err(error) => Err(error),
    };
}

/// What was started since a moment and has to end with a stop. Kept are the `agent` processes, everything older, and what
/// is still attached to a kept process and reads from a pipe, as the agent's helpers do. What has lost its parent belongs
/// to one of the `reapers`.
pub fn started_since(
    processes: &[Entry],
    since: u64,
    (agent, reapers): (&HashSet<i32>, &HashSet<i32>),
    which: Leftovers,
    reads_from_pipe: impl Fn(&Entry) -> bool,
) -> Vec<Entry> {
    let mut kept: HashSet<i32> = HashSet::new();
    let mut leftovers = Vec::new();
    // Parents come before their children.
    for process in processes {
        let is_attached = kept.contains(&process.parent) && !reapers.contains(&process.parent);
        let is_kept = process.started < since
            || agent.contains(&process.id)
            || is_attached && (which == Leftovers::Orphans || reads_from_pipe(process));
        if is_kept {
            kept.insert(process.id);
        } else {
            leftovers.push(process.clone());
        }
    }
    leftovers
}

/// Whether a process reads its input from a pipe or a socket.
pub fn reads_from_pipe(process: &Entry) -> bool {
    let input = std::fs::read_link(format!("/proc/{}/fd/0", process.id)).unwrap_or_default();
    let name = input.to_string_lossy();
    name.starts_with("pipe:") || name.starts_with("socket:")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUPERVISOR: i32 = 1;
    const AGENT: i32 = 10;

    fn process(id: i32, parent: i32, started: u64) -> Entry {
        Entry { id, parent, started }
    }

    /// The ids of the processes that a stop ends, for a run that began at 100. Processes that read from a pipe have ids
    /// from 50.
    fn ended(processes: &[Entry], which: Leftovers) -> Vec<i32> {
        let mut all = vec![process(AGENT, SUPERVISOR, 100)];
        all.extend_from_slice(processes);
        let (agent, reapers) = (HashSet::from([AGENT]), HashSet::from([SUPERVISOR]));
        let found = started_since(&all, 100, (&agent, &reapers), which, |process| process.id >= 50);
        found.iter().map(|process| process.id).collect()
    }

    #[test]
    fn a_stop_ends_what_the_run_started_but_not_what_was_there_before() {
        let processes = [
            process(11, AGENT, 99),
            process(20, AGENT, 100),
            process(21, 20, 101),
            process(30, SUPERVISOR, 103),
            process(31, SUPERVISOR, 50),
            process(32, 31, 104),
            process(33, 30, 105),
        ];
        assert_eq!(ended(&processes, Leftovers::All), [20, 21, 30, 32, 33]);
        assert_eq!(ended(&processes, Leftovers::Orphans), [30, 33]);
    }

    #[test]
    fn a_helper_is_kept_with_its_own_helpers_while_the_agent_is_its_parent() {
        let processes = [
            process(50, AGENT, 100),
            process(12, 50, 101),
            process(51, 50, 101),
            process(52, SUPERVISOR, 102),
            process(13, AGENT, 103),
            process(53, 13, 104),
        ];
        assert_eq!(ended(&processes, Leftovers::All), [12, 52, 13, 53]);
    }

    #[test]
    fn the_name_of_a_program_may_contain_anything() {
        let stat = "7 (a) b (c)) S 1 2 3 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4321 1 1";
        assert_eq!(parse(7, stat), Some(process(7, 1, 4321)));
        assert_eq!(parse(7, &stat.replace(") S", ") Z")), None);
        assert_eq!(parse(7, "7 (sh"), None);
    }

    #[test]
    fn the_clock_is_that_of_the_processes() {
        let before = now();
        let mut command = std::process::Command::new("sleep");
        let mut child = command.arg("600").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let found = below(getpid()).into_iter().find(|entry| entry.id == child.id().cast_signed()).unwrap();
        assert!(before <= found.started && found.started <= now(), "{before} {found:?} {}", now());
        assert!(reads_from_pipe(&found));
        assert!(may_be_below_this_process(found.id) && !may_be_below_this_process(1));
        send(&Entry { started: found.started + 1, ..found.clone() }, Signal::KILL);
        assert!(child.try_wait().unwrap().is_none(), "a process with a reused id is not signalled");
        send(&found, Signal::KILL);
        assert!(!child.wait().unwrap().success());
    }
}
