//! `cargo xtask fuzz`, and the short runs among the tests. The fuzz targets are in crates/core/fuzz.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::process;
use crate::report;
use crate::setup::{Tool, cargo_fuzz};
use crate::workspace::Workspace;

const FOLDER: &str = "crates/core/fuzz";
pub(crate) const MANIFEST: &str = "crates/core/fuzz/Cargo.toml";

/// The limits of a short run. Its seed is random on purpose: a failure it finds is a bug that existed before.
const SHORT_RUN: [&str; 3] = ["-runs=200000", "-max_total_time=20", "-timeout=10"];

/// `cargo xtask fuzz <target>`: runs until it finds a failure or is stopped.
pub(crate) fn long_run(workspace: &Workspace, target: &str, arguments: &[String]) -> Result<ExitCode> {
    let targets = targets(workspace)?;
    if !targets.iter().any(|known| known == target) {
        bail!("unknown fuzz target `{target}`; the targets are {}", targets.join(", "));
    }
    if !cargo_fuzz::is_supported() {
        bail!("libFuzzer does not support this system; fuzz on Linux or macOS");
    }
    let mut command = cargo_fuzz_command(workspace, &cargo_fuzz::ensure(workspace)?, &["run", target]);
    let (flags, inputs): (Vec<_>, Vec<_>) = arguments.iter().partition(|argument| argument.starts_with('-'));
    if inputs.is_empty() {
        command.args(corpora(workspace, target)?);
    }
    process::become_program(command.args(inputs).arg("--").args(flags))
}

/// Builds all targets, then runs each for a short time.
pub(crate) fn short_runs(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    if !cargo_fuzz::is_supported() {
        report::note("libFuzzer does not support this system; skipping fuzzing");
        return Ok(());
    }
    let tool = cargo_fuzz::ensure(workspace)?;
    process::run(
        &mut cargo_fuzz_command(workspace, &tool, &["build"]),
        "the fuzz targets could not be built; see above",
    )?;
    let mut failed = Vec::new();
    for target in targets(workspace)? {
        let mut command = cargo_fuzz_command(workspace, &tool, &["run", &target]);
        command.args(corpora(workspace, &target)?).arg("--").args(SHORT_RUN).args(arguments);
        match run_quietly(&mut command)? {
            Outcome::Passed(summary) => report::line("fuzz", &format!("{target}: {summary}")),
            Outcome::Failed(log) => {
                report::plain(&log);
                failed.push(format!("the fuzz target `{target}` failed\n{}", advice(workspace, &target)));
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { bail!("{}", failed.join("\n")) }
}

enum Outcome {
    /// With libFuzzer's summary line.
    Passed(String),
    /// With libFuzzer's log.
    Failed(String),
}

/// Runs libFuzzer without its log, which is of use only after a failure.
fn run_quietly(command: &mut Command) -> Result<Outcome> {
    let output =
        command.output().context("cargo-fuzz cannot be started; remove target/tools and try again")?;
    let log = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        let done = log.lines().find(|line| line.starts_with("Done "));
        return Ok(Outcome::Passed(done.unwrap_or("done").into()));
    }
    let lines = log.lines().filter(|line| !line.starts_with('"') && !line.starts_with("##"));
    Ok(Outcome::Failed(lines.collect::<Vec<_>>().join("\n")))
}

fn advice(workspace: &Workspace, target: &str) -> String {
    let folder = workspace.path(FOLDER).join("artifacts").join(target);
    let input = newest(&folder).map_or("INPUT".into(), |input| workspace.shown(&input));
    format!(
        "  reproduce: cargo xtask fuzz {target} -- {input}\n  \
         minimize:  cargo xtask fuzz {target} -- {input} -minimize_crash=1 -runs=100000\n  \
         keep:      add it under a descriptive name to {FOLDER}/seeds/{target}, together with the fix"
    )
}

/// A cargo-fuzz command. Without a sanitizer a stable compiler suffices; the code is safe, so a sanitizer would find
/// little.
fn cargo_fuzz_command(workspace: &Workspace, tool: &Tool, words: &[&str]) -> Command {
    let mut command = Command::new(&tool.program);
    command
        .current_dir(workspace.root())
        .arg("fuzz")
        .args(words)
        .args(["--sanitizer", "none", "--fuzz-dir", FOLDER, "--target-dir"])
        .arg(workspace.build_folder().join("fuzz"));
    command
}

/// The corpus that earlier runs collected below the target folder, and the seeds.
fn corpora(workspace: &Workspace, target: &str) -> Result<[PathBuf; 2]> {
    let grown = workspace.build_folder().join("fuzz/corpus").join(target);
    fs::create_dir_all(&grown).with_context(|| format!("{} cannot be created", workspace.shown(&grown)))?;
    Ok([grown, workspace.path(FOLDER).join("seeds").join(target)])
}

/// The names of the targets: one file each.
fn targets(workspace: &Workspace) -> Result<Vec<String>> {
    let folder = workspace.path(FOLDER).join("fuzz_targets");
    let files = fs::read_dir(&folder).with_context(|| format!("{FOLDER}/fuzz_targets cannot be read"))?;
    let mut names = Vec::new();
    for file in files {
        let path = file?.path();
        names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}

fn newest(folder: &Path) -> Option<PathBuf> {
    let files = fs::read_dir(folder).ok()?.flatten();
    let dated = files.filter_map(|file| Some((file.metadata().ok()?.modified().ok()?, file.path())));
    dated.max().map(|(_, path)| path)
}
