//! A compiler for the browser: the active toolchain's own, else rustup's addition to it, else Debian's.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::{apt, debian_std, installing};
use crate::environment;
use crate::process;
use crate::report;
use crate::workspace::Workspace;

pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// Long enough for a slow line, short enough for a server that never answers.
const RUSTUP_LIMIT: Duration = Duration::from_secs(240);

/// How to compile for the browser on this machine.
pub(crate) struct WasmToolchain {
    /// Changes when the compiler changes.
    pub(crate) identity: String,
    /// Where it comes from, for people.
    pub(crate) origin: String,
    pub(super) environment: Vec<(&'static str, OsString)>,
}

impl WasmToolchain {
    pub(crate) fn apply(&self, command: &mut Command) {
        // Flags meant for the host (a linker, a processor) do not fit the browser, and would hide ours.
        command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
        if !self.environment.is_empty() {
            environment::restore_library_paths(command);
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
    }
}

pub(super) fn ensure(workspace: &Workspace) -> Result<WasmToolchain> {
    let active = ActiveToolchain::ask()?;
    if active.has_target() {
        return Ok(active.into_wasm());
    }
    if let Some(ready) = debian_std::find(workspace, &active) {
        return Ok(ready);
    }
    if process::on_path("rustup").is_some() && add_with_rustup()? && active.has_target() {
        return Ok(active.into_wasm());
    }
    if !apt::is_here() {
        bail!(
            "the Rust compiler has no {TARGET} target; run `rustup target add {TARGET}`, \
             or install your system's package for it, and start the command again"
        );
    }
    debian_std::install(workspace, &active)
}

/// Whether rustup could add the target. That it cannot is no failure yet: its server may be out of reach.
fn add_with_rustup() -> Result<bool> {
    let what = format!("Rust's {TARGET} target");
    let added = installing(&what, "the active rustup toolchain", "a download of 20 MB", || {
        let mut command = Command::new("rustup");
        command.args(["target", "add", TARGET]).env("RUSTUP_MAX_RETRIES", "1").env("RUST_BACKTRACE", "0");
        if process::succeeds_within(&mut command, RUSTUP_LIMIT)? {
            return Ok(());
        }
        bail!("rustup could not add it; its server may be out of reach")
    });
    if let Err(error) = &added {
        report::note(&format!("{error:#}"));
    }
    Ok(added.is_ok())
}

/// The toolchain that cargo uses here.
pub(super) struct ActiveToolchain {
    sysroot: PathBuf,
    version: String,
    host: String,
}

impl ActiveToolchain {
    fn ask() -> Result<Self> {
        let ask = |arguments: &[&str]| {
            process::output(Command::new("rustc").args(arguments))
                .context("`rustc` does not answer; install Rust with rustup and start the command again")
        };
        let version = ask(&["-vV"])?;
        let host = debian_std::field(&version, "host").context("`rustc -vV` names no host")?;
        let sysroot = PathBuf::from(ask(&["--print", "sysroot"])?);
        Ok(Self { sysroot, version, host })
    }

    fn has_target(&self) -> bool {
        has_standard_library(&self.sysroot)
    }

    fn into_wasm(self) -> WasmToolchain {
        let release = debian_std::field(&self.version, "release").unwrap_or_default();
        WasmToolchain {
            identity: self.version,
            origin: format!("{release}, the active toolchain"),
            environment: Vec::new(),
        }
    }

    /// The linker for the browser that comes with rustup's toolchains, else the system's.
    pub(super) fn linker(&self) -> Option<PathBuf> {
        let own = self.sysroot.join("lib/rustlib").join(&self.host).join("bin/rust-lld");
        if own.is_file() {
            return Some(own);
        }
        process::on_path("rust-lld").or_else(|| process::on_path("wasm-ld"))
    }
}

/// Whether a sysroot has the standard library for the browser.
pub(super) fn has_standard_library(sysroot: &Path) -> bool {
    let folder = sysroot.join("lib/rustlib").join(TARGET).join("lib");
    folder.read_dir().is_ok_and(|entries| {
        entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("libstd"))
    })
}
