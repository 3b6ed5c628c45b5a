//! Building the page with trunk, when anything it is made of changed.
//! The page is built beside the old one and swapped in, so an interruption leaves the old page or none.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::cargo;
use crate::fingerprint;
use crate::process;
use crate::report;
use crate::setup::PageTools;
use crate::workspace::Workspace;

/// The cargo profile of the page and of its browser tests.
pub(crate) const PROFILE: &str = "web";

/// What the page is made of.
const INPUTS: [&str; 14] = [
    "src",
    "style",
    "index.html",
    "Trunk.toml",
    "Cargo.toml",
    "Cargo.lock",
    ".cargo",
    "crates/core/Cargo.toml",
    "crates/core/src",
    "crates/highlight/Cargo.toml",
    "crates/highlight/src",
    "crates/highlight-web/Cargo.toml",
    "crates/highlight-web/src",
    "crates/xtask/src/page.rs",
];

const STAMP: &str = "target/page.stamp";

/// Builds the page into `target/page`, unless it is there already.
pub(crate) fn build(workspace: &Workspace, tools: &PageTools) -> Result<()> {
    let _lock = workspace.lock()?;
    let wanted = fingerprint::of(workspace.root(), &INPUTS, &tools.identities())?;
    let page = workspace.path("target/page");
    let stamp = workspace.path(STAMP);
    let built = fs::read_to_string(&stamp).unwrap_or_default();
    if built == wanted && page.join("index.html").is_file() {
        report::line("page", "unchanged, target/page is used as it is");
        return Ok(());
    }
    report::line("page", "is built into target/page (some minutes the first time)");
    let next = workspace.path("target/page.next");
    trunk_build(workspace, tools, &next)?;
    swap(&next, &page, &stamp)?;
    fs::write(&stamp, wanted).context("target/page.stamp cannot be written")
}

fn trunk_build(workspace: &Workspace, tools: &PageTools, folder: &Path) -> Result<()> {
    // Trunk builds without the network, so the sources must be here.
    process::run(
        cargo::cargo(workspace).args(["fetch", "--quiet"]),
        "the dependencies could not be fetched; check that crates.io can be reached and start again",
    )?;
    remove(folder)?;
    let mut command = trunk_command(workspace, tools)?;
    command.args(["build", "--offline", "--minify", "--cargo-profile", PROFILE, "--dist"]).arg(folder);
    // In release mode trunk calls wasm-opt, and fails without it.
    if tools.wasm_opt.is_some() {
        command.arg("--release");
    }
    process::run(&mut command, "the page could not be built; the lines above say why")
}

/// Puts the new page in place. An equal one is left alone: the server would be built again for nothing.
fn swap(next: &Path, page: &Path, stamp: &Path) -> Result<()> {
    if page.is_dir() && fingerprint::of(next, &[""], &[])? == fingerprint::of(page, &[""], &[])? {
        return remove(next);
    }
    if stamp.exists() {
        fs::remove_file(stamp).context("target/page.stamp cannot be removed")?;
    }
    remove(page)?;
    fs::rename(next, page).context("the new page cannot be moved to target/page")
}

fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", folder.display()))
        }
        _ => Ok(()),
    }
}

/// `cargo xtask trunk …`.
pub(crate) fn trunk(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    let tools = PageTools::ensure(workspace)?;
    let mut command = trunk_command(workspace, &tools)?;
    process::become_program(command.args(arguments))
}

fn trunk_command(workspace: &Workspace, tools: &PageTools) -> Result<Command> {
    let mut command = Command::new(&tools.trunk.program);
    command.current_dir(workspace.root());
    tools.apply(&mut command)?;
    // Trunk takes NO_COLOR for a switch with a value, and stops at the usual `NO_COLOR=1`.
    if let Some(value) = std::env::var_os("NO_COLOR") {
        let value = if value.is_empty() { "false" } else { "true" };
        command.env("NO_COLOR", value);
    }
    Ok(command)
}
