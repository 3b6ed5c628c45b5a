//! The paths of the project, and the lock that keeps two commands from installing or building the page at once.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::process;
use crate::report;

pub(crate) struct Workspace {
    root: PathBuf,
}

impl Workspace {
    pub(crate) fn find() -> Result<Self> {
        // Cargo sets the variable; the path at compile time is for starting the program directly.
        let own = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = own.ancestors().nth(2).map(Path::to_path_buf);
        let root = root.context("the project's folder was not found; run the command as `cargo xtask`")?;
        Ok(Self { root })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A file or folder of the project.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// The folder of the installed tools.
    pub(crate) fn tools(&self) -> PathBuf {
        self.path("target/tools")
    }

    /// Cargo's target folder, derived from the path of this program.
    pub(crate) fn build_folder(&self) -> PathBuf {
        let own = std::env::current_exe().ok();
        let target = own.as_deref().and_then(|own| own.ancestors().nth(2));
        target.map_or_else(|| self.path("target"), Path::to_path_buf)
    }

    /// A program that cargo built, in the folder of its profile.
    pub(crate) fn built_program(&self, profile_folder: &str, name: &str) -> PathBuf {
        self.build_folder().join(profile_folder).join(process::file_name(name))
    }

    /// A path for output: relative to the project if it is inside.
    pub(crate) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }

    /// Waits until no other command installs tools or builds the page. Dropping the file releases the lock.
    pub(crate) fn lock(&self) -> Result<File> {
        let tools = self.tools();
        fs::create_dir_all(&tools).with_context(|| {
            format!("{} cannot be created; check the folder's permissions and free space", self.shown(&tools))
        })?;
        let file = File::create(tools.join(".lock"))
            .context("target/tools is not writable; check the folder's permissions")?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                report::note("waiting for another `cargo xtask` that installs tools or builds the page");
                file.lock()?;
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        Ok(file)
    }
}
