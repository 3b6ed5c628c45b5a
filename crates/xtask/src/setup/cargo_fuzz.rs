//! cargo-fuzz, and the C++ compiler that builds libFuzzer.

use anyhow::{Context, Result, bail};

use super::{CargoTool, Tool, apt, installing};
use crate::process;
use crate::workspace::Workspace;

const ADVICE: &str = "fuzzing needs a C++ compiler; install one (g++ or clang++), or set CXX, \
and try again";

/// Whether libFuzzer supports this system.
pub(crate) const fn is_supported() -> bool {
    cfg!(any(target_os = "linux", target_os = "macos"))
}

pub(crate) fn ensure(workspace: &Workspace) -> Result<Tool> {
    let _lock = workspace.lock()?;
    if !has_compiler() {
        install_compiler()?;
    }
    let wanted = CargoTool::cargo_fuzz();
    match wanted.find(workspace) {
        Some(tool) => Ok(tool),
        None => installing(&wanted.name(), "target/tools", wanted.duration, || wanted.install(workspace)),
    }
}

/// The build uses the compiler named by CXX, else `c++`.
fn has_compiler() -> bool {
    std::env::var_os("CXX").is_some() || process::on_path("c++").is_some()
}

fn install_compiler() -> Result<()> {
    if !apt::is_available() {
        bail!("{ADVICE}");
    }
    apt::install(&["g++"], "fuzzing").context(ADVICE)
}
