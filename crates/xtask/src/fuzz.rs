//! `cargo xtask fuzz` and the short run among the tests: how cargo-fuzz is called, and for how long.
//! What is fuzzed, and what must hold, is in crates/core/fuzz.

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

/// The short run of one target ends with whichever comes first. Chance is left in: what it finds is a bug that was
/// there before.
const SHORT_RUN: [&str; 3] = ["-runs=200000", "-max_total_time=20", "-timeout=10"];

/// `cargo xtask fuzz <target>`: until it finds something or is stopped.
pub(crate) fn long_run(workspace: &Workspace, target: &str, arguments: &[String]) -> Result<ExitCode> {
    let targets = targets(workspace)?;
    if !targets.iter().any(|known| known == target) {
        bail!("there is no fuzz target `{target}`; the targets are {}", targets.join(", "));
    }
    if !cargo_fuzz::works_here() {
        bail!("there is no libFuzzer for this system; fuzz on Linux or macOS");
    }
    let mut command = calling(workspace, &cargo_fuzz::ensure(workspace)?, &["run", target]);
    let (flags, inputs): (Vec<_>, Vec<_>) = arguments.iter().partition(|argument| argument.starts_with('-'));
    if inputs.is_empty() {
        command.args(corpora(workspace, target)?);
    }
    process::become_program(command.args(inputs).arg("--").args(flags))
}

/// The short run of every target. All are built before the first runs.
pub(crate) fn short_runs(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    if !cargo_fuzz::works_here() {
        report::note("there is no libFuzzer for this system: nothing is fuzzed");
        return Ok(());
    }
    let tool = cargo_fuzz::ensure(workspace)?;
    process::run(
        &mut calling(workspace, &tool, &["build"]),
        "the fuzz targets could not be built; the lines above say why",
    )?;
    let mut failed = Vec::new();
    for target in targets(workspace)? {
        let mut command = calling(workspace, &tool, &["run", &target]);
        command.args(corpora(workspace, &target)?).arg("--").args(SHORT_RUN).args(arguments);
        match quietly(&mut command)? {
            Outcome::Clean(told) => report::line("fuzz", &format!("{target}: {told}")),
            Outcome::Found(told) => {
                report::plain(&told);
                failed.push(format!("the fuzz target `{target}` failed\n{}", advice(workspace, &target)));
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { bail!("{}", failed.join("\n")) }
}

enum Outcome {
    /// The line in which libFuzzer says how much it tried.
    Clean(String),
    /// All it said.
    Found(String),
}

/// libFuzzer says much that helps nobody unless it finds something.
fn quietly(command: &mut Command) -> Result<Outcome> {
    let output =
        command.output().context("cargo-fuzz cannot be started; remove target/tools and start again")?;
    let told = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        let done = told.lines().find(|line| line.starts_with("Done "));
        return Ok(Outcome::Clean(done.unwrap_or("done").into()));
    }
    let lines = told.lines().filter(|line| !line.starts_with('"') && !line.starts_with("##"));
    Ok(Outcome::Found(lines.collect::<Vec<_>>().join("\n")))
}

fn advice(workspace: &Workspace, target: &str) -> String {
    let folder = workspace.path(FOLDER).join("artifacts").join(target);
    let input = newest(&folder).map_or("INPUT".into(), |input| workspace.shown(&input));
    format!(
        "  see it again:  cargo xtask fuzz {target} -- {input}\n  \
         make it small: cargo xtask fuzz {target} -- {input} -minimize_crash=1 -runs=100000\n  \
         keep it:       as a file with a telling name in {FOLDER}/seeds/{target}, with the mend"
    )
}

/// Without a sanitizer a stable compiler does, and all code here is safe: there is little for one to find.
fn calling(workspace: &Workspace, tool: &Tool, words: &[&str]) -> Command {
    let mut command = Command::new(&tool.program);
    command
        .current_dir(workspace.root())
        .arg("fuzz")
        .args(words)
        .args(["--sanitizer", "none", "--fuzz-dir", FOLDER, "--target-dir"])
        .arg(workspace.build_folder().join("fuzz"));
    command
}

/// What earlier runs found worth keeping, which grows below the build folder, and the seeds.
fn corpora(workspace: &Workspace, target: &str) -> Result<[PathBuf; 2]> {
    let grown = workspace.build_folder().join("fuzz/corpus").join(target);
    fs::create_dir_all(&grown).with_context(|| format!("{} cannot be made", workspace.shown(&grown)))?;
    Ok([grown, workspace.path(FOLDER).join("seeds").join(target)])
}

/// Every target is a file.
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
