//! The demo's scratch folder: private, below the agent's data folder, created on first use and removed after the
//! run.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

pub(crate) struct Scratch {
    folder: PathBuf,
    created: AtomicBool,
}

impl Scratch {
    /// Decides the path without creating the folder. The path is the same in every run of a session.
    pub(crate) fn new(agent_folder: &Path, session_id: &str) -> Self {
        let folder = agent_folder.join("scratch").join(session_id);
        Self { folder, created: AtomicBool::new(false) }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn write(&self, name: &Path, bytes: &[u8]) -> io::Result<()> {
        if !self.created.load(Ordering::Relaxed) {
            // A killed process may have left the folder behind.
            let _ = fs::remove_dir_all(&self.folder);
            DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
            self.created.store(true, Ordering::Relaxed);
        }
        fs::write(self.folder.join(name), bytes)
    }

    pub(crate) fn clear(&self) {
        if self.created.swap(false, Ordering::Relaxed) {
            let _ = fs::remove_dir_all(&self.folder);
            // Fails if another session uses the parent folder, which is then kept.
            let _ = self.folder.parent().map(fs::remove_dir);
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_exists_only_while_needed() {
        let agent_folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(agent_folder.path(), "one");
        assert!(!scratch.folder().exists());
        scratch.write(Path::new("a.txt"), b"hello").unwrap();
        assert_eq!(fs::read(scratch.folder().join("a.txt")).unwrap(), b"hello");
        drop(scratch);
        assert_eq!(fs::read_dir(agent_folder.path()).unwrap().count(), 0);
    }
}
