//! Trunk, which turns index.html, styles and the compiled page into a folder that can be served.

use anyhow::{Context, Result};

use super::{Tool, cargo_install, installing};
use crate::process;
use crate::workspace::Workspace;

/// The newest version that Rust 1.95 compiles.
const VERSION: &str = "0.21.14";

pub(super) fn ensure(workspace: &Workspace) -> Result<Tool> {
    match find(workspace) {
        Some(tool) => Ok(tool),
        None => install(workspace),
    }
}

fn find(workspace: &Workspace) -> Option<Tool> {
    let own = workspace.tools().join("bin/trunk");
    [Some(own), process::on_path("trunk")]
        .into_iter()
        .flatten()
        .find_map(|program| Tool::of_version(program, VERSION))
}

fn install(workspace: &Workspace) -> Result<Tool> {
    let package = format!("trunk@{VERSION}");
    let what = format!("trunk {VERSION}");
    installing(&what, "target/tools", "about 6 minutes on two cores", || {
        cargo_install(workspace, &[&package, "--locked", "--no-default-features", "--features", "rustls"])
    })?;
    find(workspace).context("trunk was installed but does not start; remove target/tools and start again")
}
