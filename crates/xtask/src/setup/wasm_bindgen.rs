//! wasm-bindgen's command-line tool and its test runner, of exactly the version in Cargo.lock:
//! the tool and the library talk through a format that changes between versions.

use std::fs;

use anyhow::{Context, Result};

use super::{Tool, cargo_install, installing};
use crate::cargo;
use crate::process;
use crate::workspace::Workspace;

pub(crate) const TEST_RUNNER: &str = "wasm-bindgen-test-runner";

pub(super) fn ensure(workspace: &Workspace) -> Result<Tool> {
    let lock = fs::read_to_string(workspace.path("Cargo.lock")).context("Cargo.lock cannot be read")?;
    let version = cargo::locked_version(&lock, "wasm-bindgen")
        .context("Cargo.lock has no wasm-bindgen; the page needs it as a dependency")?;
    match find(workspace, &version) {
        Some(tool) => Ok(tool),
        None => install(workspace, &version),
    }
}

/// The tool, when the test runner beside it is of the same version.
fn find(workspace: &Workspace, version: &str) -> Option<Tool> {
    let own = workspace.tools().join("bin/wasm-bindgen");
    [Some(own), process::on_path("wasm-bindgen")]
        .into_iter()
        .flatten()
        .filter_map(|program| Tool::of_version(program, version))
        .find(|tool| Tool::of_version(tool.folder().join(TEST_RUNNER), version).is_some())
}

fn install(workspace: &Workspace, version: &str) -> Result<Tool> {
    let package = format!("wasm-bindgen-cli@{version}");
    let what = format!("wasm-bindgen {version}");
    // Not `--locked`: its lock file names a dependency that registries may no longer have.
    installing(&what, "target/tools", "about 2 minutes on two cores", || {
        cargo_install(workspace, &[&package])
    })?;
    find(workspace, version)
        .context("wasm-bindgen was installed but does not start; remove target/tools and start again")
}
