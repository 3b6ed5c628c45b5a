//! `sandbox = "bubblewrap"`: runs a program with `bwrap`, which lets it write to the session's folder, its own state and a
//! private /tmp only, and hides the server's data.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Result, bail};
use pilothouse_core::limits::SANDBOX_CHECK_SECONDS;
use tokio::process::Command;

/// The program of the sandbox.
pub const BUBBLEWRAP: &str = "bwrap";

/// What a sandboxed program may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sandbox {
    /// The files and folders that it may write to, besides the session's folder.
    pub writable: Vec<PathBuf>,
    /// The files and folders that it does not see.
    pub hidden: Vec<PathBuf>,
    pub network: bool,
}

/// The places for temporary files and sockets. Through a socket a program could act outside of the sandbox, for example
/// with `systemd-run`.
const PRIVATE: [&str; 3] = ["/tmp", "/var/tmp", "/run"];

/// What programs need from /run: the name servers, and on NixOS the programs themselves.
const NEEDED_IN_RUN: [&str; 5] = [
    "/run/systemd/resolve",
    "/run/NetworkManager/resolv.conf",
    "/run/resolvconf",
    "/run/current-system",
    "/run/nscd",
];

/// The words of `bwrap` that separate the program from the rest of the system.
const SEPARATE: [&str; 11] = [
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--cap-drop",
    "ALL",
    "--die-with-parent",
    "--new-session",
    "--ro-bind",
    "/",
];

impl Sandbox {
    /// Creates the folders that the program may write to and that do not exist, as it cannot do that itself. A name with
    /// an extension is a file's.
    pub fn create_missing(&self) {
        for path in self.writable.iter().filter(|path| path.extension().is_none() && !path.exists()) {
            if let Err(error) = std::fs::create_dir_all(path) {
                tracing::warn!(%error, "cannot create {} for a sandboxed agent", path.display());
            }
        }
    }

    /// The arguments of `bwrap` before the program, for a program that runs in this folder. Later arguments cover earlier
    /// ones. Reads the disk.
    pub fn arguments(&self, folder: &Path, program: &Path) -> Vec<OsString> {
        let mut words: Vec<OsString> = SEPARATE.iter().map(OsString::from).collect();
        words.extend(["/", "--dev", "/dev", "--proc", "/proc"].map(OsString::from));
        if !self.network {
            words.push("--unshare-net".into());
        }
        let mut mount = |option: &str, source: Option<&Path>, target: &Path| {
            words.push(option.into());
            words.extend(source.map(OsString::from));
            words.push(target.into());
        };
        for place in PRIVATE {
            mount("--tmpfs", None, Path::new(place));
        }
        for place in NEEDED_IN_RUN.map(Path::new) {
            mount("--ro-bind-try", Some(place), place);
        }
        // The program itself may be in a place that is private now.
        if program.is_absolute() && PRIVATE.iter().any(|place| program.starts_with(place)) {
            mount("--ro-bind", Some(program), program);
        }
        let (real_folder, hidden) = (resolve(folder), self.hidden.iter().map(|path| resolve(path)));
        let hidden: BTreeSet<PathBuf> = hidden.collect();
        let writable = self.writable.iter().map(|path| resolve(path)).chain([real_folder.clone()]);
        // A set, because its order puts folders before what is in them.
        let writable: BTreeSet<PathBuf> = writable.filter(|path| path.parent().is_some()).collect();
        let is_inside = |path: &Path| hidden.iter().any(|hidden| path != hidden && path.starts_with(hidden));
        let (inside, outside): (Vec<&PathBuf>, Vec<&PathBuf>) =
            writable.iter().partition(|path| is_inside(path));
        for path in outside {
            mount("--bind-try", Some(path), path);
        }
        for path in &hidden {
            match std::fs::metadata(path) {
                Ok(metadata) if metadata.is_dir() => mount("--tmpfs", None, path),
                Ok(_) => mount("--ro-bind", Some(Path::new("/dev/null")), path),
                Err(_) => {}
            }
        }
        // Such as the folder of the demo agent, which is below the data folder.
        for path in inside {
            mount("--bind-try", Some(path), path);
        }
        mount("--chdir", None, &real_folder);
        words.extend(["--setenv", "TMPDIR", "/tmp", "--"].map(OsString::from));
        words
    }
}

/// Links are resolved: `bwrap` cannot mount onto a link.
fn resolve(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Returns an error with a sentence for the user if this system cannot run sandboxes.
pub async fn check() -> Result<()> {
    let advice = "or remove sandbox = \"bubblewrap\" from its configuration to run it without one";
    if !cfg!(target_os = "linux") {
        bail!("the agent is configured to run in a bubblewrap sandbox, which exists on Linux only; {advice}");
    }
    let trial = Command::new(BUBBLEWRAP)
        .args(SEPARATE)
        .args(["/", "--dev", "/dev", "--proc", "/proc", "--", "true"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .output();
    let limit = Duration::from_secs(SANDBOX_CHECK_SECONDS);
    let output = match tokio::time::timeout(limit, trial).await {
        Ok(Ok(output)) if output.status.success() => return Ok(()),
        Ok(Ok(output)) => output,
        Ok(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => bail!(
            "the agent is configured to run in a sandbox, but '{BUBBLEWRAP}' was not found; install the package \
             bubblewrap, {advice}"
        ),
        Ok(Err(error)) => bail!("the agent's sandbox cannot be started ({error}); {advice}"),
        Err(_) => bail!("the agent's sandbox did not start within {SANDBOX_CHECK_SECONDS} seconds; {advice}"),
    };
    let words = String::from_utf8_lossy(&output.stderr);
    let words = words.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it gave no reason").trim();
    bail!(
        "the agent is configured to run in a sandbox, but this system refuses it ({words}); allow user namespaces, \
         {advice}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(sandbox: &Sandbox, folder: &Path) -> Vec<String> {
        let words = sandbox.arguments(folder, Path::new("/usr/bin/agent"));
        words.into_iter().map(|word| word.into_string().unwrap()).collect()
    }

    /// The position of an option with these values.
    fn position(words: &[String], wanted: &[&str]) -> Option<usize> {
        words.windows(wanted.len()).position(|part| part == wanted)
    }

    #[test]
    fn what_is_hidden_covers_what_is_writable_around_it_and_not_what_is_inside() {
        let home = tempfile::tempdir().unwrap();
        let home_path = home.path().canonicalize().unwrap();
        let (data, own) = (home_path.join("data"), home_path.join("data/demo"));
        std::fs::create_dir_all(&own).unwrap();
        std::fs::write(home_path.join("config.toml"), "").unwrap();
        let sandbox = Sandbox {
            writable: vec![own.clone()],
            hidden: vec![data.clone(), home_path.join("config.toml"), home_path.join("missing")],
            network: true,
        };
        let words = words(&sandbox, &home_path);
        let (home_text, data_text) = (home_path.to_str().unwrap(), data.to_str().unwrap());
        let own = own.to_str().unwrap();
        let project = position(&words, &["--bind-try", home_text, home_text]).unwrap();
        let covered = position(&words, &["--tmpfs", data_text]).unwrap();
        let inside = position(&words, &["--bind-try", own, own]).unwrap();
        assert!(project < covered && covered < inside, "{words:?}");
        let config = format!("{home_text}/config.toml");
        assert!(position(&words, &["--ro-bind", "/dev/null", &config]).is_some(), "{words:?}");
        assert!(!words.contains(&format!("{home_text}/missing")), "{words:?}");
        assert!(position(&words, &["--chdir", home_text]).is_some());
    }

    #[test]
    fn the_network_is_shared_only_if_wanted() {
        let sandbox = |network| Sandbox { network, ..Sandbox::default() };
        assert!(words(&sandbox(false), Path::new("/")).contains(&"--unshare-net".to_owned()));
        assert!(!words(&sandbox(true), Path::new("/")).contains(&"--unshare-net".to_owned()));
    }
}
