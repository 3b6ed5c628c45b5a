//! Notices that the data folder is not the one that the server opened. SQLite and open files go on working with a folder
//! that was deleted or moved away, so without this check the server would acknowledge what nobody finds again.

use std::fs::{File, Metadata};
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Access, AtFlags, CWD};
use rustix::io::Errno;

/// The folder and the files in it that must stay the same while the server runs. Checking costs a few system calls.
#[derive(Clone, Debug)]
pub struct FolderIdentity(Arc<Opened>);

#[derive(Debug)]
struct Opened {
    path: PathBuf,
    /// Kept open, so that its number is not given to another folder.
    _folder: File,
    folder_id: FileId,
    files: Vec<(PathBuf, FileId)>,
}

/// Device and inode.
type FileId = (u64, u64);

/// Why nothing may be written to the data folder, as part of a sentence: "Couldn't save: …".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FolderProblem {
    #[error(
        "the data folder {} was moved or deleted. Move it back, or restart Pilothouse to begin with an empty one",
        .0.display()
    )]
    Gone(PathBuf),
    #[error(
        "the data folder {} was replaced by another one. Move the old one back, or restart Pilothouse to use the new one",
        .0.display()
    )]
    Replaced(PathBuf),
    #[error(
        "the database in the data folder {} was removed or replaced. Put it back, or restart Pilothouse",
        .0.display()
    )]
    DatabaseReplaced(PathBuf),
    #[error("the data folder {} is read-only", .0.display())]
    ReadOnly(PathBuf),
    #[error("the data folder {} cannot be reached ({error})", path.display())]
    Unreachable { path: PathBuf, error: String },
}

impl From<FolderProblem> for Error {
    fn from(problem: FolderProblem) -> Self {
        Self::other(problem)
    }
}

impl FolderIdentity {
    /// The folder as it is now, with those of these files that exist.
    pub fn of(path: &Path, files: &[PathBuf]) -> Result<Self> {
        let folder = File::open(path)?;
        let folder_id = file_id(&folder.metadata()?);
        let id = |file: &PathBuf| Some((file.clone(), file_id(&file.metadata().ok()?)));
        let files = files.iter().filter_map(id).collect();
        Ok(Self(Arc::new(Opened { path: path.to_owned(), _folder: folder, folder_id, files })))
    }

    /// Whether the folder is still at its place, holds the same files, and can be written to.
    pub fn check(&self) -> std::result::Result<(), FolderProblem> {
        let Opened { path, folder_id, files, .. } = &*self.0;
        match path.metadata() {
            Ok(found) if file_id(&found) == *folder_id => {}
            Ok(_) => return Err(FolderProblem::Replaced(path.clone())),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(FolderProblem::Gone(path.clone()));
            }
            Err(error) => {
                return Err(FolderProblem::Unreachable { path: path.clone(), error: error.to_string() });
            }
        }
        let is_same =
            |(file, id): &(PathBuf, FileId)| file.metadata().is_ok_and(|found| file_id(&found) == *id);
        if !files.iter().all(is_same) {
            return Err(FolderProblem::DatabaseReplaced(path.clone()));
        }
        let rights = Access::WRITE_OK | Access::EXEC_OK;
        let allowed = rustix::fs::accessat(CWD, path, rights, AtFlags::EACCESS);
        if matches!(allowed, Err(Errno::ACCESS | Errno::PERM | Errno::ROFS)) {
            return Err(FolderProblem::ReadOnly(path.clone()));
        }
        Ok(())
    }
}

fn file_id(metadata: &Metadata) -> FileId {
    (metadata.dev(), metadata.ino())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_folder_and_another_file_are_noticed_and_the_same_ones_are_recognized() {
        let root = tempfile::tempdir().unwrap();
        let (path, moved) = (root.path().join("data"), root.path().join("moved"));
        let file = path.join("store.db");
        std::fs::create_dir(&path).unwrap();
        std::fs::write(&file, "").unwrap();
        let identity = FolderIdentity::of(&path, &[file.clone(), path.join("missing")]).unwrap();
        assert_eq!(identity.check(), Ok(()));
        std::fs::rename(&path, &moved).unwrap();
        assert_eq!(identity.check(), Err(FolderProblem::Gone(path.clone())));
        std::fs::create_dir(&path).unwrap();
        std::fs::write(&file, "").unwrap();
        assert_eq!(identity.check(), Err(FolderProblem::Replaced(path.clone())));
        std::fs::remove_dir_all(&path).unwrap();
        std::fs::rename(&moved, &path).unwrap();
        assert_eq!(identity.check(), Ok(()), "it came back");
        // A copy beside it, so that the new file cannot get the number of the old one.
        std::fs::write(path.join("new"), "").unwrap();
        std::fs::rename(path.join("new"), &file).unwrap();
        assert_eq!(identity.check(), Err(FolderProblem::DatabaseReplaced(path.clone())));
        std::fs::remove_file(&file).unwrap();
        assert_eq!(identity.check(), Err(FolderProblem::DatabaseReplaced(path)));
    }

    #[test]
    fn a_new_folder_never_has_the_identity_of_the_deleted_one() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("data");
        std::fs::create_dir(&path).unwrap();
        let identity = FolderIdentity::of(&path, &[]).unwrap();
        for _ in 0..50 {
            std::fs::remove_dir(&path).unwrap();
            std::fs::create_dir(&path).unwrap();
            assert_eq!(identity.check(), Err(FolderProblem::Replaced(path.clone())));
        }
    }
}
