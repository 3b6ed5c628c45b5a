//! All session files of one agent, `<agent folder>/sessions/<project>/<time>_<id>.jsonl`, and what the sidebar needs of
//! each. Looking again costs as little as what may have changed: all files are asked for their stamps only where
//! nobody watches them.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::source::Stamp;
use super::summary::{StoredSession, Summary};
use crate::clock::unix_ms;

/// What to look at again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rescan<'a> {
    /// Every file.
    All,
    /// What a watcher may not have told yet: files that came or went.
    Missed,
    /// These files and folders.
    Paths(&'a [PathBuf]),
}

#[derive(Debug, Default)]
pub struct SessionFiles {
    root: FolderStamp,
    folders: HashMap<PathBuf, Folder>,
    opened: usize,
}

/// The folder of a project.
#[derive(Debug, Default)]
struct Folder {
    listed: FolderStamp,
    files: HashMap<PathBuf, Known>,
}

#[derive(Debug, Default)]
struct Known {
    summary: Summary,
    stored: Option<StoredSession>,
}

/// How a folder was when it was listed; none if it has to be listed again. A change so recent that another could have
/// the same time tells nothing.
type FolderStamp = Option<SystemTime>;
const TOO_RECENT: Duration = Duration::from_secs(1);

/// Files to be read, with how they are now.
type Found = HashMap<PathBuf, Stamp>;

impl SessionFiles {
    /// All sessions, in no particular order.
    pub fn list(&mut self, agent_folder: &Path) -> Vec<StoredSession> {
        self.rescan(agent_folder, Rescan::All);
        self.sessions().cloned().collect()
    }

    /// Looks again, and gives the sessions that are new or were written to.
    pub fn rescan(&mut self, agent_folder: &Path, rescan: Rescan<'_>) -> Vec<StoredSession> {
        let root = agent_folder.join("sessions");
        let mut found = Found::new();
        match rescan {
            Rescan::All => {
                self.root = None;
                self.folders.values_mut().for_each(|folder| folder.listed = None);
                self.missed(&root, &mut found);
            }
            Rescan::Missed => self.missed(&root, &mut found),
            Rescan::Paths(paths) => paths.iter().for_each(|path| self.path(&root, path, &mut found)),
        }
        self.read(found)
    }

    pub fn contains(&self, path: &Path) -> bool {
        self.file(path).is_some_and(|known| known.stored.is_some())
    }

    /// The sessions known, without looking.
    pub fn sessions(&self) -> impl Iterator<Item = &StoredSession> {
        let files = self.folders.values().flat_map(|folder| folder.files.values());
        files.filter_map(|known| known.stored.as_ref())
    }

    /// How often a file was opened until now.
    pub const fn opened(&self) -> usize {
        self.opened
    }

    fn file(&self, path: &Path) -> Option<&Known> {
        self.folders.get(path.parent()?)?.files.get(path)
    }

    /// Lists those folders again that have changed, the root first.
    fn missed(&mut self, root: &Path, found: &mut Found) {
        let stamp = folder_stamp(root);
        if stamp.is_none() || stamp != self.root {
            let listed: HashSet<PathBuf> = entries(root).collect();
            self.folders.retain(|path, _| listed.contains(path));
            for path in listed {
                self.folders.entry(path).or_default();
            }
            self.root = stamp;
        }
        for (path, folder) in &mut self.folders {
            folder.list(path, found);
        }
    }

    /// A path that something was told about.
    fn path(&mut self, root: &Path, path: &Path, found: &mut Found) {
        let Ok(below) = path.strip_prefix(root) else { return };
        match below.components().count() {
            0 | 1 => {
                self.root = None;
                if let Some(folder) = self.folders.get_mut(path) {
                    folder.listed = None;
                }
                self.missed(root, found);
            }
            2 if is_session_file(path) => match Stamp::at(path) {
                Some(stamp) if self.file(path).is_some_and(|known| known.summary.is_current(stamp)) => {}
                Some(stamp) => drop(found.insert(path.to_owned(), stamp)),
                None => {
                    let folder = path.parent().and_then(|folder| self.folders.get_mut(folder));
                    folder.map(|folder| folder.files.remove(path));
                }
            },
            _ => {}
        }
    }

    /// Reads what has changed, several files at once if there are many.
    fn read(&mut self, found: Found) -> Vec<StoredSession> {
        self.opened += found.len();
        let mut work: Vec<(PathBuf, Stamp, Known)> = Vec::new();
        for (path, stamp) in found {
            let folder = path.parent().map(|folder| self.folders.entry(folder.to_owned()).or_default());
            let known = folder.and_then(|folder| folder.files.remove(&path)).unwrap_or_default();
            work.push((path, stamp, known));
        }
        read_all(&mut work);
        let mut changed = Vec::new();
        for (path, _, Known { summary, .. }) in work {
            // Also if the sidebar shows nothing new: who has it open, and who looks for words in it, wants to know.
            let stored = summary.stored(&path);
            changed.extend(stored.clone());
            if let Some(folder) = path.parent().and_then(|folder| self.folders.get_mut(folder)) {
                folder.files.insert(path, Known { summary, stored });
            }
        }
        changed
    }
}

impl Folder {
    fn list(&mut self, path: &Path, found: &mut Found) {
        let stamp = folder_stamp(path);
        if stamp.is_some() && stamp == self.listed {
            return;
        }
        let listed: Found = entries(path)
            .filter(|path| is_session_file(path))
            .filter_map(|path| Stamp::at(&path).map(|stamp| (path, stamp)))
            .collect();
        self.files.retain(|path, _| listed.contains_key(path));
        let changed = |(path, stamp): &(PathBuf, Stamp)| {
            self.files.get(path).is_none_or(|known| !known.summary.is_current(*stamp))
        };
        found.extend(listed.into_iter().filter(changed));
        self.listed = stamp;
    }
}

fn read_all(work: &mut [(PathBuf, Stamp, Known)]) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(work.len() / MANY + 1);
    let queue = Mutex::new(work.iter_mut());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let read = || {
        while let Some((path, stamp, known)) = next() {
            known.summary.look(path, *stamp);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(read);
        }
        read();
    });
}

/// Fewer files are read faster than a thread is started.
const MANY: usize = 32;

fn is_session_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jsonl")
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn folder_stamp(folder: &Path) -> FolderStamp {
    let changed = folder.metadata().and_then(|metadata| metadata.modified()).ok()?;
    let now = unix_ms(SystemTime::now());
    let age = now.saturating_sub(unix_ms(changed));
    (u128::from(age) > TOO_RECENT.as_millis()).then_some(changed)
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
