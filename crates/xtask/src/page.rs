//! Builds the page with trunk, when any of its inputs changed.
//! The new page is built beside the old one and swapped in, so an interruption leaves the old page or none.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};

use anyhow::{Context, Result};

use crate::cargo;
use crate::fingerprint;
use crate::process;
use crate::report::{self, Progress};
use crate::setup::{PageTools, TARGET, Tool, WasmToolchain};
use crate::split;
use crate::workspace::Workspace;

/// The cargo profile of the page and of its browser tests.
pub(crate) const PROFILE: &str = "web";

pub(crate) const PACKAGE: &str = "pilothouse-page";

/// The files and folders that the page is built from.
const INPUTS: [&str; 16] = [
    "src",
    "style",
    "build.rs",
    "index.html",
    "Trunk.toml",
    "Cargo.toml",
    "Cargo.lock",
    ".cargo",
    "crates/core/Cargo.toml",
    "crates/core/src",
    "crates/json-derive",
    "crates/highlight/Cargo.toml",
    "crates/highlight/src",
    "crates/highlight-web",
    "crates/xtask/src/page.rs",
    "crates/xtask/src/split.rs",
];

const STAMP: &str = "target/page.stamp";

/// Builds the page into `target/page`, unless it is up to date.
pub(crate) fn build(workspace: &Workspace, tools: &PageTools) -> Result<()> {
    let _lock = workspace.lock()?;
    let wanted = fingerprint::of(workspace.root(), &INPUTS, &tools.identities())?;
    let page = workspace.path("target/page");
    let stamp = workspace.path(STAMP);
    let built = fs::read_to_string(&stamp).unwrap_or_default();
    if built == wanted && page.join("index.html").is_file() {
        report::line("page", "unchanged");
        return Ok(());
    }
    report::line("page", "building into target/page");
    // Trunk builds without the network, so cargo downloads the dependencies first.
    process::run(
        cargo::cargo(workspace).args(["fetch", "--quiet"]),
        "the dependencies could not be downloaded; check that crates.io can be reached and try again",
    )?;
    let next = workspace.path("target/page.next");
    remove(&next)?;
    let mut command = trunk_command(workspace, tools)?;
    command.args(["build", "--offline", "--minify", "--cargo-profile", PROFILE, "--dist"]).arg(&next);
    // Relative addresses, so that the page works under any path of a proxy.
    command.args(["--public-url", "./"]);
    command.env(split::VARIABLE, "1");
    // In release mode trunk calls wasm-opt, and fails without it.
    if tools.wasm_opt.is_some() {
        command.arg("--release");
    }
    process::run(&mut command, "the page could not be built; see above")?;
    if let Some(esbuild) = &tools.esbuild {
        minify(&next, esbuild)?;
    }
    split::split(workspace, tools, &next)?;
    swap(&next, &page, &stamp)?;
    fs::write(&stamp, wanted).context("target/page.stamp cannot be written")
}

/// Minifies the page's JavaScript in place.
fn minify(page: &Path, esbuild: &Tool) -> Result<()> {
    for file in fs::read_dir(page).context("the new page cannot be read")? {
        let file = file?.path();
        if file.extension().is_some_and(|extension| extension == "js") {
            let mut command = Command::new(&esbuild.program);
            command.args(["--minify", "--format=esm", "--allow-overwrite", "--log-level=warning"]);
            command.arg(&file).arg(format!("--outfile={}", file.display()));
            process::run(&mut command, "the page's JavaScript could not be minified; see above")?;
        }
    }
    Ok(())
}

/// Moves the new page into place. If it equals the old one, the old one stays: cargo would rebuild the server.
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

pub(crate) fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Compiles the page in the background while tools are built; trunk then finds it compiled. With one or two cores
/// nothing would be gained.
pub(crate) fn compile_ahead(workspace: &Workspace, toolchain: &WasmToolchain) -> Option<Child> {
    if std::thread::available_parallelism().ok()?.get() <= 2 {
        return None;
    }
    let mut command = cargo::cargo(workspace);
    toolchain.apply(&mut command);
    command
        .args(["build", "--profile", PROFILE, "--target", TARGET, "--bin", PACKAGE])
        .env(split::VARIABLE, "1");
    // Trunk repeats what goes wrong.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()
}

/// `cargo xtask trunk …`.
pub(crate) fn trunk(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    let tools = PageTools::ensure(workspace, &mut Progress::default())?;
    let mut command = trunk_command(workspace, &tools)?;
    process::become_program(command.args(arguments))
}

fn trunk_command(workspace: &Workspace, tools: &PageTools) -> Result<Command> {
    let mut command = Command::new(&tools.trunk.program);
    command.current_dir(workspace.root());
    tools.apply(&mut command)?;
    // Trunk reads NO_COLOR as a boolean and rejects the usual `NO_COLOR=1`.
    if let Some(value) = std::env::var_os("NO_COLOR") {
        let value = if value.is_empty() { "false" } else { "true" };
        command.env("NO_COLOR", value);
    }
    Ok(command)
}
