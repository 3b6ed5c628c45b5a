//! esbuild, which minifies the JavaScript that wasm-bindgen writes; trunk's own minifier cannot read it. It is optional:
//! without it the page works, but is 2 KB larger.

use std::fs;

use anyhow::{Context, Result};

use super::{Tool, npm};
use crate::process;
use crate::workspace::Workspace;

pub(super) const VERSION: &str = "0.28.2";

pub(super) fn find(workspace: &Workspace) -> Option<Tool> {
    let own = workspace.tools().join("esbuild/node_modules/.bin/esbuild");
    Tool::of_version(own, VERSION).or_else(|| Tool::of_version(process::on_path("esbuild")?, VERSION))
}

/// Installs the npm package, if npm is installed.
pub(super) fn install(workspace: &Workspace) -> Result<Tool> {
    let npm =
        process::on_path("npm").context("npm is not installed; install Node with npm to get esbuild")?;
    let folder = workspace.tools().join("esbuild");
    fs::create_dir_all(&folder)?;
    npm::install(&npm, &folder, &[&format!("esbuild@{VERSION}")], 1)?;
    find(workspace).context("esbuild was installed but does not start; remove target/tools/esbuild")
}
