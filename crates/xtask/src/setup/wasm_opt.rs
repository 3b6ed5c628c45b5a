//! wasm-opt, which makes the page smaller. It is optional: without it the page works, but is larger.

use std::fs;

use anyhow::{Context, Result};

use super::{Tool, npm};
use crate::process;
use crate::workspace::Workspace;

pub(super) const VERSION: &str = "132.0.0";

/// Older versions, such as Debian's, reject instructions that the compiler emits.
const OLDEST_USABLE: u32 = 120;

pub(super) fn find(workspace: &Workspace) -> Option<Tool> {
    let own = workspace.tools().join("npm/node_modules/.bin/wasm-opt");
    let wanted = process::major(VERSION)?.to_string();
    Tool::of_version(own, &wanted).or_else(|| {
        let program = process::on_path("wasm-opt")?;
        let version = process::version(&program)?;
        (process::major(&version)? >= OLDEST_USABLE).then_some(Tool { program, version })
    })
}

/// Installs the npm package `binaryen`, if npm is installed.
pub(super) fn install(workspace: &Workspace) -> Result<Tool> {
    let npm =
        process::on_path("npm").context("npm is not installed; install Node with npm to get wasm-opt")?;
    let folder = workspace.tools().join("npm");
    fs::create_dir_all(&folder)?;
    npm::install(&npm, &folder, &[&format!("binaryen@{VERSION}")], 1)?;
    find(workspace).context("wasm-opt was installed but does not start; remove target/tools/npm")
}
