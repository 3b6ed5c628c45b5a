//! Where things are in this project, and the lock that keeps two commands from preparing at once.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::report;

pub(crate) struct Workspace {
    root: PathBuf,
}

impl Workspace {
    pub(crate) fn find() -> Result<Self> {
        // Cargo tells where the crate is now; the compiled-in folder is for starting the binary directly.
        let own = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = own.ancestors().nth(2).map(Path::to_path_buf);
        let root = root.context("the project's folder was not found; start this with `cargo xtask`")?;
        Ok(Self { root })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A file or folder of the project.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Where the tools go that the commands install.
    pub(crate) fn tools(&self) -> PathBuf {
        self.path("target/tools")
    }

    /// Where cargo puts what it builds. Wherever that is, this program is in it.
    pub(crate) fn build_folder(&self) -> PathBuf {
        let own = std::env::current_exe().ok();
        let target = own.as_deref().and_then(|own| own.ancestors().nth(2));
        target.map_or_else(|| self.path("target"), Path::to_path_buf)
    }

    /// A program that cargo built, by the folder of its profile.
    pub(crate) fn built_program(&self, profile_folder: &str, name: &str) -> PathBuf {
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        self.build_folder().join(profile_folder).join(file)
    }

    /// A path as it is shown: relative to the project where it lies inside.
    pub(crate) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }

    /// Waits until no other command prepares tools or the page here. The lock ends with the returned file.
    pub(crate) fn lock(&self) -> Result<File> {
        let tools = self.tools();
        fs::create_dir_all(&tools).with_context(|| {
            format!("{} cannot be made; check the folder's permissions and free space", self.shown(&tools))
        })?;
        let file = File::create(tools.join(".lock"))
            .context("target/tools cannot be written to; check the folder's permissions")?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                report::note("another `cargo xtask` is preparing; waiting for it");
                file.lock()?;
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        Ok(file)
    }
}
