//! The compiler for the browser: the active toolchain if it has the WebAssembly target, else with the target that
//! rustup adds, else Debian's.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::{apt, debian_rust};
use crate::environment;
use crate::process;
use crate::report;
use crate::workspace::Workspace;

pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// Enough for a slow connection; a server that never answers must not block the set-up.
const RUSTUP_LIMIT: Duration = Duration::from_secs(240);

/// How to compile for the browser on this machine.
pub(crate) struct WasmToolchain {
    /// Changes when the compiler changes.
    pub(crate) identity: String,
    /// Its origin, as shown by `cargo xtask setup`.
    pub(crate) origin: String,
    pub(super) environment: Vec<(&'static str, OsString)>,
}

impl WasmToolchain {
    pub(crate) fn apply(&self, command: &mut Command) {
        // Flags for the host (a linker, a processor) do not fit the browser, and would replace those in .cargo.
        command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
        if !self.environment.is_empty() {
            environment::restore_library_paths(command);
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
    }
}

pub(super) fn find(workspace: &Workspace) -> Result<Option<WasmToolchain>> {
    let active = ActiveToolchain::query()?;
    if active.has_target() {
        return Ok(Some(active.into_wasm()));
    }
    Ok(debian_rust::find(workspace, &active))
}

pub(super) fn install(workspace: &Workspace) -> Result<WasmToolchain> {
    let active = ActiveToolchain::query()?;
    if process::on_path("rustup").is_some() && add_with_rustup()? && active.has_target() {
        return Ok(active.into_wasm());
    }
    if !apt::is_available() {
        bail!(
            "the Rust compiler has no {TARGET} target; run `rustup target add {TARGET}`, \
             or install your system's package for it, and try again"
        );
    }
    debian_rust::install(workspace, &active)
}

/// Whether rustup could add the target. Failure is not an error yet: its server may be unreachable.
fn add_with_rustup() -> Result<bool> {
    let mut command = Command::new("rustup");
    command.args(["target", "add", TARGET]).env("RUSTUP_MAX_RETRIES", "1").env("RUST_BACKTRACE", "0");
    let added = process::succeeds_within(&mut command, RUSTUP_LIMIT)?;
    if !added {
        report::note("rustup could not add the target; its server may be unreachable");
    }
    Ok(added)
}

/// The toolchain that cargo uses in this workspace.
pub(super) struct ActiveToolchain {
    sysroot: PathBuf,
    version: String,
    host: String,
}

impl ActiveToolchain {
    fn query() -> Result<Self> {
        let query = |arguments: &[&str]| {
            process::output(Command::new("rustc").args(arguments))
                .context("`rustc` does not start; install Rust with rustup and try again")
        };
        let version = query(&["-vV"])?;
        let host = version_field(&version, "host").context("`rustc -vV` names no host")?;
        let sysroot = PathBuf::from(query(&["--print", "sysroot"])?);
        Ok(Self { sysroot, version, host })
    }

    fn has_target(&self) -> bool {
        has_standard_library(&self.sysroot)
    }

    fn into_wasm(self) -> WasmToolchain {
        let release = version_field(&self.version, "release").unwrap_or_default();
        WasmToolchain {
            identity: self.version,
            origin: format!("{release}, the active toolchain"),
            environment: Vec::new(),
        }
    }

    /// The WebAssembly linker of a rustup toolchain, else the system's.
    pub(super) fn linker(&self) -> Option<PathBuf> {
        let own = self.sysroot.join("lib/rustlib").join(&self.host).join("bin/rust-lld");
        if own.is_file() {
            return Some(own);
        }
        process::on_path("rust-lld").or_else(|| process::on_path("wasm-ld"))
    }
}

/// Whether a sysroot contains the standard library for the browser.
pub(super) fn has_standard_library(sysroot: &Path) -> bool {
    let folder = sysroot.join("lib/rustlib").join(TARGET).join("lib");
    folder.read_dir().is_ok_and(|entries| {
        entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("libstd"))
    })
}

/// A line of `rustc -vV`, such as `release: 1.96.0`.
pub(super) fn version_field(version: &str, name: &str) -> Option<String> {
    let start = format!("{name}: ");
    version.lines().find_map(|line| line.strip_prefix(&start)).map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_fields_are_found_by_name() {
        let version =
            "rustc 1.96.0 (built from a source tarball)\nhost: x86_64-unknown-linux-gnu\nrelease: 1.96.0";
        assert_eq!(version_field(version, "release").as_deref(), Some("1.96.0"));
        assert_eq!(version_field(version, "host").as_deref(), Some("x86_64-unknown-linux-gnu"));
        assert_eq!(version_field(version, "LLVM version"), None);
    }
}
