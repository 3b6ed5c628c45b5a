//! Building the server with the page inside, to run it here or to give it away.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::cargo;
use crate::environment;
use crate::page;
use crate::process;
use crate::report;
use crate::setup::PageTools;
use crate::workspace::Workspace;

pub(crate) const PROGRAM: &str = "pilothouse";

/// `cargo xtask run`: the server of the development profile, which the tests use as well.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    page::build(workspace, &PageTools::ensure(workspace)?)?;
    build(workspace, &[])?;
    let program = workspace.built_program("debug", PROGRAM);
    report::line("start", &format!("{} {}", workspace.shown(&program), arguments.join(" ")));
    let mut command = Command::new(program);
    environment::restore(&mut command);
    process::become_program(command.args(arguments))
}

/// `cargo xtask dist`.
pub(crate) fn dist(workspace: &Workspace) -> Result<()> {
    page::build(workspace, &PageTools::ensure(workspace)?)?;
    build(workspace, &["--release"])?;
    let program = workspace.built_program("release", PROGRAM);
    let size = program.metadata().context("cargo built no server; the lines above say why")?.len();
    let megabytes = size as f64 / 1_000_000.0;
    report::line("done", &format!("{} ({megabytes:.1} MB)", workspace.shown(&program)));
    Ok(())
}

/// The whole workspace is named so that dependencies get the same features as in the tests, and are built once.
pub(crate) fn build(workspace: &Workspace, profile: &[&str]) -> Result<()> {
    report::line("server", "is built");
    process::run(
        cargo::cargo(workspace).args(["build", "--workspace", "--bin", PROGRAM]).args(profile),
        "the server could not be built; the lines above say why",
    )
}
