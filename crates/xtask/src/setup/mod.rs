//! The set-up: a module per tool, each of which finds the tool or installs it.
//!
//! Tools are installed below `target/tools`; only system packages are installed elsewhere. A tool counts as installed
//! when it reports the right version, so the next command repeats an interrupted installation.

mod apt;
mod axe;
mod browser;
pub(crate) mod bubblewrap;
pub(crate) mod cargo_fuzz;
mod cargo_tool;
mod debian_rust;
mod esbuild;
pub(crate) mod nginx;
mod npm;
mod real_agents;
mod wasm_opt;
mod wasm_target;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::Result;

pub(crate) use self::axe::Axe;
pub(crate) use self::browser::Browser;
use self::cargo_tool::CargoTool;
pub(crate) use self::cargo_tool::TEST_RUNNER;
pub(crate) use self::real_agents::RealAgents;
pub(crate) use self::wasm_target::{TARGET, WasmToolchain};
use crate::page;
use crate::process;
use crate::report::{self, Progress};
use crate::workspace::Workspace;

/// A program and the version it reports.
pub(crate) struct Tool {
    pub(crate) program: PathBuf,
    pub(crate) version: String,
}

impl Tool {
    /// The program, if it exists and is of exactly this version.
    fn of_version(program: PathBuf, wanted: &str) -> Option<Self> {
        let version = process::version(&program)?;
        (version == wanted).then_some(Self { program, version })
    }

    fn folder(&self) -> PathBuf {
        self.program.parent().map(Path::to_path_buf).unwrap_or_default()
    }
}

/// The tools that build the page.
pub(crate) struct PageTools {
    toolchain: WasmToolchain,
    pub(crate) trunk: Tool,
    pub(crate) wasm_bindgen: Tool,
    pub(crate) wasm_split: Tool,
    pub(crate) wasm_opt: Option<Tool>,
    pub(crate) esbuild: Option<Tool>,
}

impl PageTools {
    /// Finds or installs the tools. Each that is missing is a step of the progress.
    pub(crate) fn ensure(workspace: &Workspace, progress: &mut Progress) -> Result<Self> {
        let _lock = workspace.lock()?;
        let wasm_split = CargoTool::wasm_split();
        let (wasm_bindgen, trunk) = (CargoTool::wasm_bindgen(workspace)?, CargoTool::trunk());
        let toolchain = wasm_target::find(workspace)?;
        let cargo_tools = [wasm_bindgen.find(workspace), trunk.find(workspace), wasm_split.find(workspace)];
        let (optimizer, minifier) = (wasm_opt::find(workspace), esbuild::find(workspace));
        let missing_tools = cargo_tools.iter().filter(|tool| tool.is_none()).count();
        let missing_npm_tools = usize::from(optimizer.is_none()) + usize::from(minifier.is_none());
        progress.add(usize::from(toolchain.is_none()) + missing_tools + missing_npm_tools);

        let toolchain = match toolchain {
            Some(toolchain) => toolchain,
            None => {
                progress.next(&format!("Rust's {TARGET} target"), "a download of 20 MB");
                timed("the target", || wasm_target::install(workspace))?
            }
        };
        let compiling = (missing_tools > 0).then(|| page::compile_ahead(workspace, &toolchain)).flatten();
        let [found_bindgen, found_trunk, found_split] = cargo_tools;
        let mut install = |found: Option<Tool>, wanted: &CargoTool| match found {
            Some(tool) => Ok(tool),
            None => {
                progress.next(&format!("{} into target/tools", wanted.name()), wanted.duration);
                timed(wanted.package, || wanted.install(workspace))
            }
        };
        let installed = install(found_bindgen, &wasm_bindgen).and_then(|bindgen| {
            Ok((bindgen, install(found_trunk, &trunk)?, install(found_split, &wasm_split)?))
        });
        if let Some(mut compiling) = compiling {
            let _ = compiling.wait();
        }
        let (wasm_bindgen, trunk, wasm_split) = installed?;
        let wasm_opt = optimizer.or_else(|| {
            progress.next(&format!("wasm-opt {} into target/tools", wasm_opt::VERSION), "a few seconds");
            let installed = timed("wasm-opt", || wasm_opt::install(workspace));
            installed
                .map_err(|error| report::note(&format!("the page is larger without wasm-opt: {error:#}")))
                .ok()
        });
        let esbuild = minifier.or_else(|| {
            progress.next(&format!("esbuild {} into target/tools", esbuild::VERSION), "a few seconds");
            let installed = timed("esbuild", || esbuild::install(workspace));
            installed
                .map_err(|error| report::note(&format!("the page is larger without esbuild: {error:#}")))
                .ok()
        });
        Ok(Self { toolchain, trunk, wasm_bindgen, wasm_split, wasm_opt, esbuild })
    }

    /// Configures a program to compile for the browser and to find the tools.
    pub(crate) fn apply(&self, command: &mut Command) -> Result<()> {
        self.toolchain.apply(command);
        // Trunk calls the `cargo` on the PATH: that must be the one that started this program.
        let cargo = std::env::var_os("CARGO").map(PathBuf::from);
        let cargo = cargo.and_then(|program| program.parent().map(Path::to_path_buf));
        let tools = [Some(&self.wasm_bindgen), self.wasm_opt.as_ref()];
        let tools = tools.into_iter().flatten().map(Tool::folder);
        command.env("PATH", process::path_with(cargo.into_iter().chain(tools))?);
        Ok(())
    }

    /// The versions that affect the built page.
    pub(crate) fn identities(&self) -> [&str; 6] {
        let [wasm_opt, esbuild] = [&self.wasm_opt, &self.esbuild]
            .map(|tool| tool.as_ref().map_or("none", |tool| tool.version.as_str()));
        let [trunk, bindgen, split] =
            [&self.trunk, &self.wasm_bindgen, &self.wasm_split].map(|tool| &*tool.version);
        [&self.toolchain.identity, trunk, bindgen, split, wasm_opt, esbuild]
    }
}

/// `cargo xtask setup`.
pub(crate) fn everything(workspace: &Workspace) -> Result<()> {
    let tools = PageTools::ensure(workspace, &mut Progress::default())?;
    let browser = Browser::ensure(workspace)?;
    let agents = RealAgents::ensure(workspace)?;
    let axe = Axe::ensure(workspace)?;
    let nginx = nginx::ensure(workspace)?;
    bubblewrap::install_if_missing();
    let fuzzer = cargo_fuzz::is_supported().then(|| cargo_fuzz::ensure(workspace)).transpose()?;
    let described = [
        ("compiler", tools.toolchain.origin.clone()),
        ("trunk", describe(workspace, &tools.trunk)),
        ("bindgen", describe(workspace, &tools.wasm_bindgen)),
        ("splitter", describe(workspace, &tools.wasm_split)),
        ("wasm-opt", tools.wasm_opt.as_ref().map_or("none".into(), |tool| describe(workspace, tool))),
        ("esbuild", tools.esbuild.as_ref().map_or("none".into(), |tool| describe(workspace, tool))),
        ("browser", describe(workspace, &browser.chromium)),
        ("driver", describe(workspace, &browser.driver)),
        ("agents", agents.describe(workspace)),
        ("axe", axe.describe(workspace)),
        ("nginx", describe(workspace, &nginx)),
        ("fuzzer", fuzzer.as_ref().map_or("none".into(), |tool| describe(workspace, tool))),
    ];
    for (name, text) in described {
        report::line(name, &text);
    }
    Ok(())
}

fn describe(workspace: &Workspace, tool: &Tool) -> String {
    format!("{} ({})", tool.version, workspace.shown(&tool.program))
}

/// Reports what is installed, where, and how long it may take; installs it; reports how long it took.
fn installing<T>(what: &str, place: &str, duration: &str, install: impl FnOnce() -> Result<T>) -> Result<T> {
    report::line("setup", &format!("{what} into {place}, {duration}"));
    timed(what, install)
}

fn timed<T>(what: &str, install: impl FnOnce() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    let installed = install()?;
    report::line("setup", &format!("{what}: installed in {}", report::elapsed(start.elapsed())));
    Ok(installed)
}
