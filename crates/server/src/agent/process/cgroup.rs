//! Control groups (cgroup v2), where the server's own group is delegated to it: each program gets a group below it, which
//! ends with everything in it at once and can have limits. Without a delegated group the supervisor does without.

use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::Limits;

/// The names of the groups below the delegated one.
const SERVER: &str = "server";
const PROGRAM_PREFIX: &str = "agent-";

/// The group of this process is a property of the process, hence one value.
static DELEGATED: OnceLock<Option<Delegated>> = OnceLock::new();

/// The group below which programs get theirs.
#[derive(Debug)]
struct Delegated {
    folder: PathBuf,
    can_limit_memory: bool,
    can_limit_processes: bool,
    created: AtomicU64,
}

/// Moves this process into a group below its own, if that is delegated to it, and ends what an earlier server left there.
pub fn set_up() {
    let delegated = DELEGATED.get_or_init(|| match own_folder().map(|folder| Delegated::take(&folder)) {
        Some(Ok(delegated)) => Some(delegated),
        Some(Err(error)) => {
            tracing::debug!(%error, "agents run without control groups");
            None
        }
        None => None,
    });
    if let Some(delegated) = delegated {
        tracing::info!("agents run in control groups below {}", delegated.folder.display());
    }
}

/// Why limits cannot be applied; `None` if they can.
pub fn why_not(limits: &Limits) -> Option<String> {
    if limits.is_empty() {
        return None;
    }
    let Some(delegated) = DELEGATED.get().and_then(Option::as_ref) else {
        return Some("the server has no control group (cgroup v2) of its own".to_owned());
    };
    let missing = [
        (limits.memory.is_some() && !delegated.can_limit_memory).then_some("memory"),
        (limits.processes.is_some() && !delegated.can_limit_processes).then_some("pids"),
    ];
    let missing: Vec<&str> = missing.into_iter().flatten().collect();
    (!missing.is_empty())
        .then(|| format!("its control group has no controller for {}", missing.join(" and ")))
}

/// Creates a group for a program. Returns `None` if there are no groups.
pub fn create(limits: &Limits) -> Option<PathBuf> {
    let created = DELEGATED.get()?.as_ref()?.create(limits);
    created.map_err(|error| tracing::warn!(%error, "an agent runs without a control group")).ok()
}

/// Moves this process into a group.
pub fn join(folder: &Path) -> Result<()> {
    std::fs::write(folder.join("cgroup.procs"), "0")
}

/// Kills everything in a group. Linux before 5.14 cannot.
pub fn kill(folder: &Path) {
    let _ = std::fs::write(folder.join("cgroup.kill"), "1");
}

/// Removes a group. Its processes were killed, but may not have ended yet.
pub fn remove(folder: &Path) {
    for _ in 0..100 {
        match std::fs::remove_dir(folder) {
            Err(error) if error.kind() == std::io::ErrorKind::ResourceBusy => {
                std::thread::sleep(Duration::from_millis(10));
            }
            _ => return,
        }
    }
    tracing::warn!("the control group {} is still in use", folder.display());
}

impl Delegated {
    /// Uses a group of this process. It counts as delegated if it can be written to and this process is alone in it:
    /// other processes, such as the shell of a terminal, are not moved.
    fn take(folder: &Path) -> Result<Self> {
        let processes = std::fs::read_to_string(folder.join("cgroup.procs"))?;
        if processes.trim() != std::process::id().to_string() {
            return Err(Error::other("other processes share the group"));
        }
        let server = folder.join(SERVER);
        std::fs::create_dir(&server).or_else(|error| if server.is_dir() { Ok(()) } else { Err(error) })?;
        // Controllers can be passed on only by a group without processes.
        join(&server)?;
        let pass_on = |controller: &str| {
            std::fs::write(folder.join("cgroup.subtree_control"), format!("+{controller}"))
        };
        let delegated = Self {
            can_limit_memory: pass_on("memory").is_ok(),
            can_limit_processes: pass_on("pids").is_ok(),
            folder: folder.to_owned(),
            created: AtomicU64::default(),
        };
        delegated.end_leftovers();
        Ok(delegated)
    }

    /// Ends what an earlier server left behind, which was killed together with its supervisors.
    fn end_leftovers(&self) {
        for entry in std::fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(PROGRAM_PREFIX) {
                kill(&entry.path());
                remove(&entry.path());
            }
        }
    }

    fn create(&self, limits: &Limits) -> Result<PathBuf> {
        let folder = loop {
            let number = self.created.fetch_add(1, Ordering::Relaxed);
            let folder = self.folder.join(format!("{PROGRAM_PREFIX}{number}"));
            match std::fs::create_dir(&folder) {
                Ok(()) => break folder,
                // A process of an earlier server is still ending in it.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        };
        let limit = |file: &str, limit: Option<u64>, is_possible: bool| match limit {
            Some(limit) if is_possible => std::fs::write(folder.join(file), limit.to_string()),
            _ => Ok(()),
        };
        let limited = limit("memory.max", limits.memory, self.can_limit_memory)
            .and_then(|()| limit("pids.max", limits.processes, self.can_limit_processes));
        limited.map(|()| folder.clone()).inspect_err(|_| remove(&folder))
    }
}

/// The folder of this process's group in the file system; `None` for the root group, which is the system's.
fn own_folder() -> Option<PathBuf> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let group = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let mount = mounts.lines().find(|line| line.contains(" - cgroup2 "))?;
    folder_of(group, mount)
}

/// The folder of a group, below a mount as `/proc/self/mountinfo` describes it.
fn folder_of(group: &str, mount: &str) -> Option<PathBuf> {
    let mut fields = mount.split(' ').skip(3);
    let (root, mounted_at) = (fields.next()?, fields.next()?);
    let below = Path::new(group).strip_prefix(root).ok()?;
    (group != "/").then(|| Path::new(mounted_at).join(below))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_group_is_below_its_mount() {
        let mount = |root: &str| format!("30 24 0:26 {root} /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw");
        let folder = |group: &str, root: &str| folder_of(group, &mount(root));
        assert_eq!(folder("/user.slice/a.service", "/"), Some("/sys/fs/cgroup/user.slice/a.service".into()));
        assert_eq!(folder("/box/agent", "/box"), Some("/sys/fs/cgroup/agent".into()));
        assert_eq!(folder("/", "/"), None);
        assert_eq!(folder("/../other", "/box"), None);
    }

    /// A folder with the files of a group.
    fn group(controllers: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(SERVER)).unwrap();
        std::fs::write(folder.path().join("cgroup.procs"), format!("{}\n", std::process::id())).unwrap();
        if !controllers.is_empty() {
            std::fs::write(folder.path().join("cgroup.subtree_control"), "").unwrap();
        }
        folder
    }

    #[test]
    fn limits_are_written_into_the_group_of_a_program() {
        let folder = group(&["memory", "pids"]);
        let delegated = Delegated::take(folder.path()).unwrap();
        assert_eq!(std::fs::read_to_string(folder.path().join("server/cgroup.procs")).unwrap(), "0");
        let limits = Limits { memory: Some(4096), processes: Some(20) };
        let (first, second) =
            (delegated.create(&limits).unwrap(), delegated.create(&Limits::default()).unwrap());
        assert_ne!(first, second);
        assert_eq!(std::fs::read_to_string(first.join("memory.max")).unwrap(), "4096");
        assert_eq!(std::fs::read_to_string(first.join("pids.max")).unwrap(), "20");
        assert!(!second.join("memory.max").exists());
    }

    #[test]
    fn a_group_with_other_processes_is_left_alone() {
        let folder = group(&[]);
        std::fs::write(folder.path().join("cgroup.procs"), format!("1\n{}\n", std::process::id())).unwrap();
        assert!(Delegated::take(folder.path()).is_err());
    }

    #[test]
    fn limits_without_a_group_are_explained() {
        let limits = Limits { memory: Some(1), processes: None };
        assert!(why_not(&limits).unwrap().contains("no control group"));
        assert_eq!(why_not(&Limits::default()), None);
    }
}
