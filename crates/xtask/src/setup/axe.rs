//! axe-core, which checks the accessibility of screens in the end-to-end tests.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use super::npm;
use crate::workspace::Workspace;

const VERSION: &str = "4.14.0";

pub(crate) struct Axe {
    script: PathBuf,
}

impl Axe {
    pub(crate) fn ensure(workspace: &Workspace) -> Result<Self> {
        let _lock = workspace.lock()?;
        let folder = workspace.tools().join("axe");
        let wanted = format!("axe-core@{VERSION}");
        npm::ensure_installed(&folder, &wanted, "accessibility checks", "3 MB", |npm| {
            npm::install(npm, &folder, &[&wanted], npm::TRIES)
        })?;
        Ok(Self { script: folder.join("node_modules/axe-core/axe.min.js") })
    }

    /// Passes its path to the tests.
    pub(crate) fn apply(&self, command: &mut Command) {
        command.env("PILOTHOUSE_AXE", &self.script);
    }

    /// The version and path, for `cargo xtask setup`.
    pub(crate) fn describe(&self, workspace: &Workspace) -> String {
        format!("{VERSION} ({})", workspace.shown(&self.script))
    }
}
