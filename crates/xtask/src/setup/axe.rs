//! axe-core, which the end-to-end tests ask whether everybody can use a screen.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use super::npm::{self, once};
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
        once(&folder, &wanted, "checks that everybody can use the page", "3 MB", |npm| {
            npm::install(npm, &folder, &[&wanted])
        })?;
        Ok(Self { script: folder.join("node_modules/axe-core/axe.min.js") })
    }

    /// Tells tests where it is.
    pub(crate) fn apply(&self, command: &mut Command) {
        command.env("PILOTHOUSE_AXE", &self.script);
    }

    /// What `cargo xtask setup` tells of it.
    pub(crate) fn told(&self, workspace: &Workspace) -> String {
        format!("{VERSION} ({})", workspace.shown(&self.script))
    }
}
