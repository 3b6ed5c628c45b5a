//! Tools from crates.io, each of one exact version: taken from `target/tools` or the PATH, else downloaded by
//! cargo-binstall where that is installed, else built.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};

use super::Tool;
use crate::cargo;
use crate::process;
use crate::report;
use crate::workspace::Workspace;

/// wasm-bindgen's runner of browser tests.
pub(crate) const TEST_RUNNER: &str = "wasm-bindgen-test-runner";

const DOWNLOAD_LIMIT: Duration = Duration::from_secs(120);

pub(super) struct CargoTool {
    pub(super) package: &'static str,
    pub(super) version: String,
    /// The programs of the package that are used. All must be of the version, and in one folder.
    pub(super) programs: &'static [&'static str],
    /// Whether the programs print their version. Otherwise they are installed in a folder named by it.
    pub(super) reports_version: bool,
    /// Arguments for `cargo install`, besides the package.
    pub(super) arguments: &'static [&'static str],
    /// How long it takes to build.
    pub(super) duration: &'static str,
}

impl CargoTool {
    /// Trunk builds the page. This is the newest version that Rust 1.95 compiles.
    pub(super) fn trunk() -> Self {
        Self {
            package: "trunk",
            version: String::from("0.21.14"),
            programs: &["trunk"],
            reports_version: true,
            arguments: &["--locked", "--no-default-features", "--features", "rustls"],
            duration: "about 6 minutes on two cores",
        }
    }

    /// wasm-bindgen's command-line tools, of exactly the library's version: the format between them is not stable.
    pub(super) fn wasm_bindgen(workspace: &Workspace) -> Result<Self> {
        let lock = fs::read_to_string(workspace.path("Cargo.lock")).context("Cargo.lock cannot be read")?;
        let version = cargo::locked_version(&lock, "wasm-bindgen")
            .context("Cargo.lock has no wasm-bindgen; the page needs it as a dependency")?;
        Ok(Self {
            package: "wasm-bindgen-cli",
            version,
            programs: &["wasm-bindgen", TEST_RUNNER],
            reports_version: true,
            // Not `--locked`: the lock file names a dependency that registries may no longer have.
            arguments: &[],
            duration: "about 2 minutes on two cores",
        })
    }

    /// The splitter of Leptos, which moves the page's lazy parts out of its module.
    pub(super) fn wasm_split() -> Self {
        Self {
            package: "wasm_split_cli_support",
            version: String::from("0.2.4"),
            programs: &["wasm-split-cli"],
            reports_version: false,
            arguments: &["--locked", "--features", "build-binary"],
            duration: "about 30 seconds on two cores",
        }
    }

    pub(super) fn cargo_fuzz() -> Self {
        Self {
            package: "cargo-fuzz",
            version: String::from("0.13.2"),
            programs: &["cargo-fuzz"],
            reports_version: true,
            arguments: &["--locked"],
            duration: "about a minute on two cores",
        }
    }

    /// The first program of the package, from `target/tools` or the PATH.
    pub(super) fn find(&self, workspace: &Workspace) -> Option<Tool> {
        let (first, others) = self.programs.split_first()?;
        let own = self.root(workspace).join("bin").join(process::file_name(first));
        if !self.reports_version {
            return own.is_file().then(|| Tool { program: own, version: self.version.clone() });
        }
        [Some(own), process::on_path(first)]
            .into_iter()
            .flatten()
            .filter_map(|program| Tool::of_version(program, &self.version))
            .find(|tool| {
                let beside = |name: &&str| tool.folder().join(process::file_name(name));
                others.iter().all(|name| Tool::of_version(beside(name), &self.version).is_some())
            })
    }

    /// The folder that cargo installs into.
    fn root(&self, workspace: &Workspace) -> PathBuf {
        let tools = workspace.tools();
        if self.reports_version { tools } else { tools.join(format!("{}-{}", self.package, self.version)) }
    }

    /// For example `trunk 0.21.14`.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.package, self.version)
    }

    pub(super) fn install(&self, workspace: &Workspace) -> Result<Tool> {
        self.download(workspace);
        if let Some(tool) = self.find(workspace) {
            return Ok(tool);
        }
        self.build(workspace)?;
        self.find(workspace).with_context(|| {
            format!("{} was installed but does not start; remove target/tools and try again", self.name())
        })
    }

    fn specification(&self) -> String {
        format!("{}@{}", self.package, self.version)
    }

    /// Lets cargo-binstall download the programs, if it is installed. If it fails, they are built instead.
    fn download(&self, workspace: &Workspace) {
        let Some(binstall) = process::on_path("cargo-binstall") else { return };
        let mut command = Command::new(binstall);
        command
            .args(["--no-confirm", "--force", "--disable-strategies", "compile", "--root"])
            .arg(self.root(workspace))
            .arg(self.specification())
            // These are variables and not flags because older versions of cargo-binstall reject unknown flags.
            .env("BINSTALL_NO_DISCOVER_GITHUB_TOKEN", "true")
            .env("BINSTALL_DISABLE_TELEMETRY", "true")
            .stdin(Stdio::null());
        if !process::succeeds_within(&mut command, DOWNLOAD_LIMIT).unwrap_or(false) {
            report::note(&format!("cargo-binstall could not download {}; building it", self.name()));
        }
    }

    /// `cargo install` into `target/tools`, optimised for a short build rather than a fast tool. An interrupted build
    /// is continued by the next command.
    fn build(&self, workspace: &Workspace) -> Result<()> {
        let root = self.root(workspace);
        let folder = workspace.tools().join("build");
        let mut command = cargo::cargo(workspace);
        command
            .args(["install", "--force", "--root"])
            .arg(&root)
            .arg(self.specification())
            .args(self.arguments)
            // Otherwise cargo advises to add the folder to the PATH.
            .env("PATH", process::path_with([root.join("bin")])?)
            .env("CARGO_TARGET_DIR", &folder)
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
            .env("CARGO_PROFILE_RELEASE_DEBUG", "false")
            // Without `--locked`, cargo must not choose dependencies that this compiler is too old for.
            .env("CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS", "fallback");
        process::run(
            &mut command,
            "the tool could not be built; check that crates.io can be reached and try again; it continues where it stopped",
        )?;
        fs::remove_dir_all(&folder).or_else(|error| {
            report::note(&format!("target/tools/build could not be removed: {error}"));
            Ok(())
        })
    }
}
