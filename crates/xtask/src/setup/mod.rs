//! The set-up: one file per tool, each of which finds the tool or installs it.
//!
//! Tools go below `target/tools`; only system packages go elsewhere. A tool counts as installed when it
//! answers with the right version, so an interrupted installation is taken up again by the next command.

mod apt;
mod axe;
mod binaryen;
mod browser;
pub(crate) mod cargo_fuzz;
mod debian_std;
mod npm;
mod real_agents;
mod trunk;
mod wasm_bindgen;
mod wasm_target;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::Result;

pub(crate) use self::axe::Axe;
pub(crate) use self::browser::Browser;
pub(crate) use self::real_agents::RealAgents;
pub(crate) use self::wasm_bindgen::TEST_RUNNER;
pub(crate) use self::wasm_target::{TARGET, WasmToolchain};
use crate::cargo;
use crate::process;
use crate::report;
use crate::workspace::Workspace;

/// A program and the version it told.
pub(crate) struct Tool {
    pub(crate) program: PathBuf,
    pub(crate) version: String,
}

impl Tool {
    /// The program, when it is there and of exactly this version.
    fn of_version(program: PathBuf, wanted: &str) -> Option<Self> {
        let version = process::version(&program)?;
        (version == wanted).then_some(Self { program, version })
    }

    fn folder(&self) -> PathBuf {
        self.program.parent().map(Path::to_path_buf).unwrap_or_default()
    }
}

/// What it takes to build the page.
pub(crate) struct PageTools {
    pub(crate) wasm: WasmToolchain,
    pub(crate) trunk: Tool,
    bindgen: Tool,
    pub(crate) wasm_opt: Option<Tool>,
}

impl PageTools {
    /// Finds or installs everything that builds the page.
    pub(crate) fn ensure(workspace: &Workspace) -> Result<Self> {
        let _lock = workspace.lock()?;
        Ok(Self {
            wasm: wasm_target::ensure(workspace)?,
            bindgen: wasm_bindgen::ensure(workspace)?,
            trunk: trunk::ensure(workspace)?,
            wasm_opt: binaryen::ensure(workspace),
        })
    }

    /// Prepares a program so that it compiles for the browser and finds the tools.
    pub(crate) fn apply(&self, command: &mut Command) -> Result<()> {
        self.wasm.apply(command);
        // Trunk calls the `cargo` on the PATH: that must be the one that started us.
        let cargo = std::env::var_os("CARGO").map(PathBuf::from);
        let cargo = cargo.and_then(|program| program.parent().map(Path::to_path_buf));
        let tools = [Some(&self.bindgen), self.wasm_opt.as_ref()];
        let tools = tools.into_iter().flatten().map(Tool::folder);
        command.env("PATH", process::path_with(cargo.into_iter().chain(tools))?);
        Ok(())
    }

    /// The versions that decide what the built page looks like.
    pub(crate) fn identities(&self) -> [&str; 4] {
        let wasm_opt = self.wasm_opt.as_ref().map_or("none", |tool| &tool.version);
        [&self.wasm.identity, &self.trunk.version, &self.bindgen.version, wasm_opt]
    }
}

/// `cargo xtask setup`.
pub(crate) fn everything(workspace: &Workspace) -> Result<()> {
    let tools = PageTools::ensure(workspace)?;
    let browser = Browser::ensure(workspace)?;
    let agents = RealAgents::ensure(workspace)?;
    let axe = Axe::ensure(workspace)?;
    let fuzzer = cargo_fuzz::works_here().then(|| cargo_fuzz::ensure(workspace)).transpose()?;
    let told = [
        ("compiler", tools.wasm.origin.clone()),
        ("trunk", told(workspace, &tools.trunk)),
        ("bindgen", told(workspace, &tools.bindgen)),
        ("wasm-opt", tools.wasm_opt.as_ref().map_or("none".into(), |tool| told(workspace, tool))),
        ("browser", told(workspace, &browser.chromium)),
        ("driver", told(workspace, &browser.driver)),
        ("agents", agents.told(workspace)),
        ("axe", axe.told(workspace)),
        ("fuzzer", fuzzer.as_ref().map_or("none".into(), |tool| told(workspace, tool))),
    ];
    for (name, text) in told {
        report::line(name, &text);
    }
    Ok(())
}

fn told(workspace: &Workspace, tool: &Tool) -> String {
    format!("{} ({})", tool.version, workspace.shown(&tool.program))
}

/// Says what is installed, where, and how long it may take; does it; and says how long it took.
fn installing<T>(what: &str, place: &str, duration: &str, install: impl FnOnce() -> Result<T>) -> Result<T> {
    report::line("set-up", &format!("{what} → {place} ({duration})"));
    let start = Instant::now();
    let installed = install()?;
    let time = report::elapsed(start.elapsed());
    report::line("set-up", &format!("{what} is ready after {time}"));
    Ok(installed)
}

/// `cargo install` into `target/tools`, built for a short installation rather than a fast tool.
/// What an interrupted build compiled is kept for the next start, and removed after a whole one.
fn cargo_install(workspace: &Workspace, arguments: &[&str]) -> Result<()> {
    let tools = workspace.tools();
    let build = tools.join("build");
    let mut command = cargo::cargo(workspace);
    command
        .args(["install", "--force", "--root"])
        .arg(&tools)
        .args(arguments)
        // On the PATH, so that cargo does not advise to put it there.
        .env("PATH", process::path_with([tools.join("bin")])?)
        .env("CARGO_TARGET_DIR", &build)
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "false")
        // Without a lock file of its own a tool must not take dependencies that this compiler is too old for.
        .env("CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS", "fallback");
    process::run(
        &mut command,
        "the tool could not be installed; check that crates.io can be reached and start the command again, it goes on where it stopped",
    )?;
    std::fs::remove_dir_all(&build).or_else(|error| {
        report::note(&format!("target/tools/build could not be removed: {error}"));
        Ok(())
    })
}
