//! Builds the server with the page embedded: `cargo xtask run` and `cargo xtask dist`.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::cargo;
use crate::environment;
use crate::page;
use crate::process;
use crate::report::{self, Progress};
use crate::setup::PageTools;
use crate::workspace::Workspace;

const PROGRAM: &str = "pilothouse";

/// The cargo profile of the server.
#[derive(Clone, Copy)]
pub(crate) enum Profile {
    /// For `run` and the tests; the busiest code is optimised (see the root Cargo.toml).
    Development,
    /// For `dist` and the benches.
    Release,
}

/// `cargo xtask run`: builds the page and the server, and starts the server.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    build_with_page(workspace, Profile::Development)?;
    let program = program(workspace, Profile::Development);
    report::line("start", &format!("{} {}", workspace.shown(&program), arguments.join(" ")));
    let mut command = Command::new(program);
    environment::restore(&mut command);
    process::become_program(command.args(arguments))
}

/// `cargo xtask dist`: builds one release binary.
pub(crate) fn dist(workspace: &Workspace) -> Result<()> {
    build_with_page(workspace, Profile::Release)?;
    let program = program(workspace, Profile::Release);
    let size = program.metadata().context("cargo built no server; see above")?.len();
    let megabytes = size as f64 / 1_000_000.0;
    report::line("done", &format!("{} ({megabytes:.1} MB)", workspace.shown(&program)));
    Ok(())
}

fn build_with_page(workspace: &Workspace, profile: Profile) -> Result<()> {
    let mut progress = Progress::default();
    progress.add(2);
    let tools = PageTools::ensure(workspace, &mut progress)?;
    progress.next("the page", "about 3 minutes the first time");
    page::build(workspace, &tools)?;
    progress.next("the server", "about 2 minutes the first time");
    build(workspace, profile)
}

/// Builds the server. The whole workspace is selected so that dependencies get the same features as in the tests, and
/// are compiled once.
pub(crate) fn build(workspace: &Workspace, profile: Profile) -> Result<()> {
    let mut command = cargo::cargo(workspace);
    command.args(["build", "--workspace", "--bin", PROGRAM]);
    if matches!(profile, Profile::Release) {
        command.arg("--release");
    }
    process::run(&mut command, "the server could not be built; see above")
}

/// The path of the built server.
pub(crate) fn program(workspace: &Workspace, profile: Profile) -> PathBuf {
    let folder = match profile {
        Profile::Development => "debug",
        Profile::Release => "release",
    };
    workspace.built_program(folder, PROGRAM)
}
