//! cargo-fuzz, and the C++ compiler that libFuzzer is built with.

use anyhow::{Context, Result, bail};

use super::{Tool, apt, cargo_install, installing};
use crate::process;
use crate::workspace::Workspace;

const VERSION: &str = "0.13.2";

const ADVICE: &str = "fuzzing needs a C++ compiler; install one (g++ or clang++), or name it with CXX, \
and start the command again";

/// Whether there is a libFuzzer for this system: it is at home on Linux and macOS only.
pub(crate) const fn works_here() -> bool {
    cfg!(any(target_os = "linux", target_os = "macos"))
}

pub(crate) fn ensure(workspace: &Workspace) -> Result<Tool> {
    let _lock = workspace.lock()?;
    if !has_compiler() {
        install_compiler()?;
    }
    match find(workspace) {
        Some(tool) => Ok(tool),
        None => install(workspace),
    }
}

fn find(workspace: &Workspace) -> Option<Tool> {
    let own = workspace.tools().join("bin/cargo-fuzz");
    [Some(own), process::on_path("cargo-fuzz")]
        .into_iter()
        .flatten()
        .find_map(|program| Tool::of_version(program, VERSION))
}

fn install(workspace: &Workspace) -> Result<Tool> {
    let package = format!("cargo-fuzz@{VERSION}");
    let what = format!("cargo-fuzz {VERSION}");
    installing(&what, "target/tools", "about a minute on two cores", || {
        cargo_install(workspace, &[&package, "--locked"])
    })?;
    find(workspace)
        .context("cargo-fuzz was installed but does not start; remove target/tools and start again")
}

/// A compiler the user names is theirs to vouch for; `c++` is what the build looks for otherwise.
fn has_compiler() -> bool {
    std::env::var_os("CXX").is_some() || process::on_path("c++").is_some()
}

fn install_compiler() -> Result<()> {
    if !apt::is_here() {
        bail!("{ADVICE}");
    }
    apt::install(&["g++"], "fuzzing").context(ADVICE)
}
