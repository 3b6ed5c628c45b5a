//! Processes by their id: signals, children, liveness, processor time. Reads `/proc`.

use std::process::Command;

use crate::wait::until;

/// Sends a signal, named as `kill` names it: `KILL`, `TERM`.
pub fn signal(process: u32, name: &str) {
    let status = Command::new("kill").args([format!("-{name}"), process.to_string()]).status().unwrap();
    assert!(status.success(), "cannot send {name} to process {process}");
}

/// Returns the direct children of a process.
pub fn children(process: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    tasks
        .filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|children| {
            children.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>()
        })
        .collect()
}

/// Returns a process's children, their children, and so on.
pub fn descendants(process: u32) -> Vec<u32> {
    children(process).into_iter().flat_map(|child| [vec![child], descendants(child)].concat()).collect()
}

/// Returns the memory that belongs to a process alone, in bytes: everything but mapped files and shared memory.
pub fn private_memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1024
}

/// Returns the command line of a process, empty if the process has ended.
pub fn command_line(process: u32) -> Vec<String> {
    let words = std::fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default();
    words.split_terminator('\0').map(str::to_owned).collect()
}

/// Returns whether a process runs. A process that only waits to be reaped does not.
pub fn is_alive(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

/// Returns the processor time that a process has used, in hundredths of a second; 0 without `/proc`.
pub fn processor_time(process: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(')').map(|(_, fields)| fields).unwrap_or_default();
    fields.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
}

/// Waits until a process has a child, and returns it. The process may have announced the child before starting it.
pub fn until_child(process: u32) -> u32 {
    until(&format!("a child of process {process}"), || children(process).first().copied())
}

/// Waits until a process has ended.
pub fn until_gone(process: u32) {
    until(&format!("the end of process {process}"), || (!is_alive(process)).then_some(()));
}
