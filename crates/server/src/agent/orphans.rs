//! Ends processes that outlived their agent: every process inherits a mark in its environment. A process group is not
//! enough, since tools run in groups of their own, and an agent that is killed cannot end them.

use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};
use sha2::{Digest, Sha256};

/// The environment variable that names the installation and the session of a process.
pub const MARK: &str = "PILOTHOUSE_SESSION";

/// Identifies an installation by its data folder, so that two installations do not affect each other.
pub fn installation(data_folder: &Path) -> String {
    let digest = Sha256::digest(data_folder.as_os_str().as_encoded_bytes());
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

pub fn mark(installation: &str, session: &str) -> String {
    format!("{installation}:{session}")
}

/// Ends all processes with this mark.
pub fn end(mark: &str) {
    let wanted = format!("{MARK}={mark}");
    end_marked(|variable| variable == wanted.as_bytes());
}

/// Ends all processes of an installation.
pub fn end_all(installation: &str) {
    let wanted = format!("{MARK}={installation}:");
    end_marked(|variable| variable.starts_with(wanted.as_bytes()));
}

/// Works only where the system shows environments (`/proc`).
fn end_marked(is_marked: impl Fn(&[u8]) -> bool) {
    // A process may start another one during the scan, so the scan is repeated.
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
        // A server that was started by an agent has a mark, too.
        if marked
            && id != own
            && let Some(process) = Pid::from_raw(id)
        {
            tracing::warn!(id, "ending a process that outlived its agent");
            let _ = kill_process(process, Signal::KILL);
            ended += 1;
        }
    }
    ended
}
