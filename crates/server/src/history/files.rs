//! All session files of one agent, `<session folder>/<project>/<time>_<id>.jsonl`, with the sidebar's data of each. The
//! cost of a rescan depends on its scope: the metadata of all files is read only if they are not watched.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::source::FileStamp;
use super::summary::{FileSummary, StoredSession};
use crate::clock::{now_ms, unix_ms};

/// The scope of a rescan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rescan<'a> {
    /// Every file.
    All,
    /// New and deleted files, which a watcher may not have reported yet.
    Missed,
    /// These files and folders.
    Paths(&'a [PathBuf]),
}

/// The session files of one agent as of the last rescan.
#[derive(Debug, Default)]
pub struct SessionFiles {
    root: FolderStamp,
    folders: HashMap<PathBuf, ProjectFolder>,
    open_count: usize,
}

#[derive(Debug, Default)]
struct ProjectFolder {
    listed: FolderStamp,
    files: HashMap<PathBuf, KnownFile>,
}

#[derive(Debug, Default)]
struct KnownFile {
    summary: FileSummary,
    session: Option<StoredSession>,
}

/// The modification time of a folder when it was listed; `None` if it has to be listed again.
type FolderStamp = Option<SystemTime>;

/// The minimum age of a folder's modification time to be relied on: a later change within the same tick of the clock
/// would leave it unchanged.
const MIN_STAMP_AGE: Duration = Duration::from_secs(1);

/// The files to read, with their current stamps.
type ChangedFiles = HashMap<PathBuf, FileStamp>;

impl SessionFiles {
    /// Rescans all files and returns all sessions, in no particular order.
    pub fn list(&mut self, root: &Path) -> Vec<StoredSession> {
        self.rescan(root, Rescan::All);
        self.sessions().cloned().collect()
    }

    /// Rescans the files and returns the sessions that are new or were written to.
    pub fn rescan(&mut self, root: &Path, rescan: Rescan<'_>) -> Vec<StoredSession> {
        let mut changed = ChangedFiles::new();
        match rescan {
            Rescan::All => {
                self.root = None;
                self.folders.values_mut().for_each(|folder| folder.listed = None);
                self.list_changed_folders(root, &mut changed);
            }
            Rescan::Missed => self.list_changed_folders(root, &mut changed),
            Rescan::Paths(paths) => paths.iter().for_each(|path| self.check_path(root, path, &mut changed)),
        }
        self.read_files(changed)
    }

    /// Whether this file contains a session.
    pub fn contains(&self, path: &Path) -> bool {
        self.file(path).is_some_and(|file| file.session.is_some())
    }

    /// All sessions as of the last rescan.
    pub fn sessions(&self) -> impl Iterator<Item = &StoredSession> {
        let files = self.folders.values().flat_map(|folder| folder.files.values());
        files.filter_map(|file| file.session.as_ref())
    }

    /// The number of times a file was opened, for tests and benchmarks.
    pub const fn open_count(&self) -> usize {
        self.open_count
    }

    fn file(&self, path: &Path) -> Option<&KnownFile> {
        self.folders.get(path.parent()?)?.files.get(path)
    }

    /// Lists the root and the project folders that have changed.
    fn list_changed_folders(&mut self, root: &Path, changed: &mut ChangedFiles) {
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
            folder.list(path, changed);
        }
    }

    /// Checks a path for which a change was reported.
    fn check_path(&mut self, root: &Path, path: &Path, changed: &mut ChangedFiles) {
        let Ok(relative) = path.strip_prefix(root) else { return };
        match relative.components().count() {
            0 | 1 => {
                self.root = None;
                if let Some(folder) = self.folders.get_mut(path) {
                    folder.listed = None;
                }
                self.list_changed_folders(root, changed);
            }
            2 if is_session_file(path) => match FileStamp::at(path) {
                Some(stamp) if self.file(path).is_some_and(|file| file.summary.is_current(stamp)) => {}
                Some(stamp) => drop(changed.insert(path.to_owned(), stamp)),
                None => {
                    let folder = path.parent().and_then(|folder| self.folders.get_mut(folder));
                    folder.map(|folder| folder.files.remove(path));
                }
            },
            _ => {}
        }
    }

    /// Reads the files and returns their sessions, including those whose sidebar data is unchanged: open sessions and
    /// the search index depend on the rest of the file.
    fn read_files(&mut self, changed: ChangedFiles) -> Vec<StoredSession> {
        self.open_count += changed.len();
        let mut work: Vec<(PathBuf, FileStamp, KnownFile)> = Vec::new();
        for (path, stamp) in changed {
            let folder = path.parent().map(|folder| self.folders.entry(folder.to_owned()).or_default());
            let file = folder.and_then(|folder| folder.files.remove(&path)).unwrap_or_default();
            work.push((path, stamp, file));
        }
        update_all(&mut work);
        let mut sessions = Vec::new();
        for (path, _, KnownFile { summary, .. }) in work {
            let session = summary.stored_session(&path);
            sessions.extend(session.clone());
            if let Some(folder) = path.parent().and_then(|folder| self.folders.get_mut(folder)) {
                folder.files.insert(path, KnownFile { summary, session });
            }
        }
        sessions
    }
}

impl ProjectFolder {
    /// Lists the folder if it has changed, forgets deleted files and collects the files to read.
    fn list(&mut self, path: &Path, changed: &mut ChangedFiles) {
        let stamp = folder_stamp(path);
        if stamp.is_some() && stamp == self.listed {
            return;
        }
        let listed: HashMap<PathBuf, FileStamp> = entries(path)
            .filter(|path| is_session_file(path))
            .filter_map(|path| FileStamp::at(&path).map(|stamp| (path, stamp)))
            .collect();
        self.files.retain(|path, _| listed.contains_key(path));
        let is_changed = |(path, stamp): &(PathBuf, FileStamp)| {
            self.files.get(path).is_none_or(|file| !file.summary.is_current(*stamp))
        };
        changed.extend(listed.into_iter().filter(is_changed));
        self.listed = stamp;
    }
}

/// Updates the summaries, with several threads if there are many files.
fn update_all(work: &mut [(PathBuf, FileStamp, KnownFile)]) {
    let threads =
        std::thread::available_parallelism().map_or(1, usize::from).min(work.len() / FILES_PER_THREAD + 1);
    let queue = Mutex::new(work.iter_mut());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let update = || {
        while let Some((path, stamp, file)) = next() {
            file.summary.update(path, *stamp);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(update);
        }
        update();
    });
}

/// The number of files that justify another thread: reading fewer takes less time than starting it.
const FILES_PER_THREAD: usize = 32;

fn is_session_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jsonl")
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// The modification time of a folder, unless it is too recent to be relied on.
fn folder_stamp(folder: &Path) -> FolderStamp {
    let modified = folder.metadata().and_then(|metadata| metadata.modified()).ok()?;
    let age = now_ms().saturating_sub(unix_ms(modified));
    (u128::from(age) > MIN_STAMP_AGE.as_millis()).then_some(modified)
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
