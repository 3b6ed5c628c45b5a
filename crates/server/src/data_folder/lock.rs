//! Ensures that only one server uses a data folder: a second one would end the agents of the first as orphans, and both
//! would write the same files.

use std::fs::{File, TryLockError};
use std::io::{Error, ErrorKind, Result as IoResult};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// A child process that a killed server was just starting holds the locks until its exec.
const PATIENCE: Duration = Duration::from_secs(2);

/// Held while a server uses the folder. There are three locks, because each of them alone can be lost while the server
/// runs: the file is deleted, the folder is replaced by another one, or the folder is renamed.
#[derive(Debug)]
pub struct FolderLock {
    /// Earlier versions know only this one.
    _file: File,
    /// `None` on network file systems that cannot lock a folder.
    _folder: Option<File>,
    /// Stays with the path, whatever happens to the folder. Linux only.
    _name: Option<UnixListener>,
}

pub(super) fn lock(folder: &Path, name: Option<UnixListener>) -> Result<FolderLock> {
    let file = lock_file(folder)?;
    let opened = File::open(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let locked = retry(|| opened.try_lock().map_err(to_io));
    if matches!(&locked, Err(error) if error.kind() == ErrorKind::WouldBlock) {
        bail!(in_use(folder));
    }
    Ok(FolderLock { _file: file, _folder: locked.is_ok().then_some(opened), _name: name })
}

fn lock_file(folder: &Path) -> Result<File> {
    let path = folder.join("lock");
    let file = File::create(&path).with_context(|| format!("cannot write to {}", path.display()))?;
    match retry(|| file.try_lock().map_err(to_io)) {
        Ok(()) => Ok(file),
        Err(error) if error.kind() == ErrorKind::WouldBlock => bail!(in_use(folder)),
        Err(error) => Err(error).with_context(|| format!("cannot lock {}", path.display())),
    }
}

fn to_io(error: TryLockError) -> Error {
    match error {
        TryLockError::WouldBlock => ErrorKind::WouldBlock.into(),
        TryLockError::Error(error) => error,
    }
}

fn in_use(folder: &Path) -> String {
    format!(
        "another Pilothouse is running with the data folder {}; stop it, or choose another folder with --data-dir",
        folder.display()
    )
}

/// Repeats while another process holds the lock.
fn retry<T>(attempt: impl Fn() -> IoResult<T>) -> IoResult<T> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match attempt() {
            Err(error) if is_held(&error) && Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(20));
            }
            result => return result,
        }
    }
}

fn is_held(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::AddrInUse)
}

/// Locks the folder's path, by a socket that has a name but no file. The system releases it with the process. Fails only
/// if another server of the same user has the name: who else takes it keeps nobody out.
#[cfg(target_os = "linux")]
pub(super) fn lock_name(folder: &Path) -> Result<Option<UnixListener>> {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::SocketAddr;

    use sha2::{Digest, Sha256};

    // Other mount namespaces, such as containers, may have another folder at the same path.
    let namespace = std::fs::read_link("/proc/self/ns/mnt").unwrap_or_default();
    let mut hash = Sha256::new();
    for part in [&namespace, &canonical(folder)] {
        hash.update(part.as_os_str().as_encoded_bytes());
        hash.update([0]);
    }
    let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let name = format!("pilothouse-{}-{hash}", rustix::process::geteuid().as_raw());
    let Ok(address) = SocketAddr::from_abstract_name(name) else { return Ok(None) };
    match retry(|| UnixListener::bind_addr(&address)) {
        Ok(listener) => Ok(Some(listener)),
        Err(error) if error.kind() == ErrorKind::AddrInUse && belongs_to_user(&address) => {
            bail!(in_use(folder))
        }
        Err(_) => Ok(None),
    }
}

/// Other systems have no such sockets: there, a server whose folder was replaced notices it, and stores nothing more.
#[cfg(not(target_os = "linux"))]
pub(super) fn lock_name(_: &Path) -> Result<Option<UnixListener>> {
    Ok(None)
}

#[cfg(target_os = "linux")]
fn belongs_to_user(address: &std::os::unix::net::SocketAddr) -> bool {
    let Ok(stream) = std::os::unix::net::UnixStream::connect_addr(address) else { return true };
    let _ = stream.set_nonblocking(true);
    let peer = tokio::net::UnixStream::from_std(stream).and_then(|stream| stream.peer_cred());
    peer.map_or(true, |peer| peer.uid() == rustix::process::geteuid().as_raw())
}

/// The path without links, also of a folder that does not exist.
#[cfg(target_os = "linux")]
fn canonical(path: &Path) -> PathBuf {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(path), ..) => path,
        (Err(_), Some(parent), Some(name)) => canonical(parent).join(name),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::super::{lock_existing, prepare};
    use super::*;

    fn refusal(folder: &Path) -> String {
        prepare(folder).unwrap_err().to_string()
    }

    #[tokio::test]
    async fn a_folder_that_is_in_use_stays_locked_whatever_happens_to_it() {
        let root = tempfile::tempdir().unwrap();
        let (folder, moved) = (root.path().join("data"), root.path().join("moved"));
        let lock = prepare(&folder).unwrap();
        assert!(refusal(&folder).contains("another Pilothouse is running with the data folder"));
        std::fs::remove_file(folder.join("lock")).unwrap();
        assert!(refusal(&folder).contains("another Pilothouse"), "without the lock file");
        std::fs::rename(&folder, &moved).unwrap();
        assert!(refusal(&moved).contains("another Pilothouse"), "under its new name");
        assert!(refusal(&folder).contains("another Pilothouse"), "at its old place");
        assert!(!folder.exists(), "no folder was created at the old place");
        std::os::unix::fs::symlink(root.path(), root.path().join("link")).unwrap();
        assert!(refusal(&root.path().join("link/data")).contains("another Pilothouse"), "through a link");
        std::fs::create_dir(&folder).unwrap();
        assert!(refusal(&folder).contains("another Pilothouse"), "another folder at the same place");
        drop(lock);
        drop(prepare(&folder).unwrap());
        drop(lock_existing(&moved).unwrap());
    }
}
