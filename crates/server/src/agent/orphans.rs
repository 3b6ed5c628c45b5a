//! Finds what an agent left running: every process that inherited the mark its agent was started with. A process
//! group is not enough, since tools are given groups of their own, and an agent that is killed cannot end them.

use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};
use sha2::{Digest, Sha256};

/// The environment variable every agent and all it starts carries: which installation, and which session.
pub const MARK: &str = "PILOTHOUSE_SESSION";

/// Names an installation by its data folder, so that two of them leave each other alone.
pub fn installation(data_folder: &Path) -> String {
    let digest = Sha256::digest(data_folder.as_os_str().as_encoded_bytes());
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

pub fn mark(installation: &str, session: &str) -> String {
    format!("{installation}:{session}")
}

/// Ends what the agent of one session left running.
pub fn end(mark: &str) {
    let wanted = format!("{MARK}={mark}");
    end_marked(|variable| variable == wanted.as_bytes());
}

/// Ends what every agent of an installation left running.
pub fn end_all(installation: &str) {
    let wanted = format!("{MARK}={installation}:");
    end_marked(|variable| variable.starts_with(wanted.as_bytes()));
}

/// Only where the system shows environments (`/proc`); elsewhere the process group has to do.
fn end_marked(is_marked: impl Fn(&[u8]) -> bool) {
    // What was started while we looked is found by looking again.
    for _ in 0..5 {
        if end_once(&is_marked) == 0 {
            return;
        }
    }
}

fn end_once(is_marked: &impl Fn(&[u8]) -> bool) -> usize {
    let mut ended = 0;
    let own = std::process::id().cast_signed();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
        let Ok(environment) = std::fs::read(entry.path().join("environ")) else { continue };
        let marked = environment.split(|byte| *byte == 0).any(is_marked);
        // A server that was itself started by an agent carries a mark, too.
        if marked
            && id != own
            && let Some(process) = Pid::from_raw(id)
        {
            tracing::warn!(id, "ending what an agent left running");
            let _ = kill_process(process, Signal::KILL);
            ended += 1;
        }
    }
    ended
}
