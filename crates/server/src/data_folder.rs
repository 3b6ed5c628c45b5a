//! The data folder: private to its owner, and used by one server at a time.

mod identity;
mod lock;

use std::fs::Permissions;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

use anyhow::{Context, Result};

pub use identity::{FolderIdentity, FolderProblem};
pub use lock::FolderLock;

/// Creates the folder, or closes an existing one and what is in it to other users, and locks it.
pub fn prepare(folder: &Path) -> Result<FolderLock> {
    // First of all: while a server runs whose folder was deleted, none is created in its place.
    let name = lock::lock_name(folder)?;
    create_private(folder)?;
    lock::lock(folder, name)
}

/// Locks an existing folder.
pub fn lock_existing(folder: &Path) -> Result<FolderLock> {
    lock::lock(folder, lock::lock_name(folder)?)
}

fn create_private(folder: &Path) -> Result<()> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .with_context(|| format!("cannot create the data folder {}", folder.display()))?;
    if let Err(error) = close_to_others(folder) {
        tracing::warn!(%error, "other users may read the data folder {}", folder.display());
    }
    let probe = folder.join(".writable");
    std::fs::write(&probe, "")
        .with_context(|| format!("cannot write to the data folder {}", folder.display()))?;
    let _ = std::fs::remove_file(&probe);
    Ok(())
}

/// Takes the rights of other users from the folder, and from the files and folders directly in it: they stay private if
/// the folder is opened later, and what is below a private folder is private.
fn close_to_others(folder: &Path) -> std::io::Result<()> {
    remove_others_rights(folder)?;
    for entry in std::fs::read_dir(folder)?.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_file() || kind.is_dir()) {
            remove_others_rights(&entry.path())?;
        }
    }
    Ok(())
}

fn remove_others_rights(path: &Path) -> std::io::Result<()> {
    let mode = std::fs::metadata(path)?.permissions().mode();
    if mode & 0o077 == 0 {
        Ok(())
    } else {
        std::fs::set_permissions(path, Permissions::from_mode(mode & !0o077))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn an_open_folder_and_what_is_in_it_are_closed_to_others() {
        let root = tempfile::tempdir().unwrap();
        let outside = root.path().join("outside");
        let folder = root.path().join("data");
        for folder in [&outside, &folder, &folder.join("agents")] {
            std::fs::create_dir(folder).unwrap();
            std::fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
        }
        for (name, rights) in [("approvals.jsonl", 0o644), ("program", 0o755)] {
            std::fs::write(folder.join(name), "").unwrap();
            std::fs::set_permissions(folder.join(name), Permissions::from_mode(rights)).unwrap();
        }
        std::os::unix::fs::symlink(&outside, folder.join("link")).unwrap();
        let _lock = prepare(&folder).unwrap();
        assert_eq!((mode(&folder), mode(&folder.join("agents"))), (0o700, 0o700));
        assert_eq!((mode(&folder.join("approvals.jsonl")), mode(&folder.join("program"))), (0o600, 0o700));
        assert_eq!(mode(&outside), 0o755, "a link is not followed");
    }
}
