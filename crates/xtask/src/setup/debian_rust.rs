//! The compiler for the browser where rustup's server cannot be reached: Debian's `rustc-web`, with a standard library
//! built from the source of exactly that compiler.
//!
//! The library is in a sysroot below `target/tools` that is passed to the compiler; the system's own is not changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::wasm_target::{ActiveToolchain, TARGET, WasmToolchain, has_standard_library, version_field};
use super::{apt, installing};
use crate::environment;
use crate::process;
use crate::workspace::Workspace;

const COMPILER: &str = "/usr/bin/rustc";
const CARGO: &str = "/usr/bin/cargo";
const PACKAGES: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];
const STAMP: &str = "built-for";

/// The toolchain with the library that an earlier command built, if Debian's compiler has not changed since.
pub(super) fn find(workspace: &Workspace, active: &ActiveToolchain) -> Option<WasmToolchain> {
    let identity = identity()?;
    let sysroot = sysroot(workspace);
    let stamp = fs::read_to_string(sysroot.join(STAMP)).ok()?;
    if stamp != identity || !has_standard_library(&sysroot) {
        return None;
    }
    let release = version_field(&identity, "release")?;
    let environment = vec![
        ("RUSTC", COMPILER.into()),
        ("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", active.linker()?.into()),
        // The target's variable is added to the flags in .cargo; RUSTFLAGS would replace them.
        ("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", format!("--sysroot {}", sysroot.display()).into()),
    ];
    let origin = format!("{release} from Debian, with the library in {}", workspace.shown(&sysroot));
    Some(WasmToolchain { identity, origin, environment })
}

pub(super) fn install(workspace: &Workspace, active: &ActiveToolchain) -> Result<WasmToolchain> {
    let sysroot = sysroot(workspace);
    if sysroot.display().to_string().contains(char::is_whitespace) {
        bail!(
            "cargo cannot pass on a sysroot with a space in its path; move the project to a folder without one"
        );
    }
    if active.linker().is_none() {
        bail!(
            "no WebAssembly linker was found (`rust-lld`, `wasm-ld`); install Rust with rustup, which includes one"
        );
    }
    if library_source().is_none() {
        apt::install(&PACKAGES, &format!("the {TARGET} compiler"))?;
    }
    let source = library_source().with_context(|| {
        format!(
            "Debian's packages {} contain no compiler with its source; \
             run `rustup target add {TARGET}` where its server can be reached",
            PACKAGES.join(", ")
        )
    })?;
    let identity = identity().context("Debian's rustc does not start; reinstall the package rustc-web")?;
    require_version(workspace, &identity)?;
    let release = version_field(&identity, "release").unwrap_or_default();
    let what = format!("the standard library of Rust {release} for {TARGET}");
    installing(&what, &workspace.shown(&sysroot), "about 1 minute", || {
        build(workspace, &source, &identity, &sysroot)
    })?;
    find(workspace, active)
        .context("the standard library was built but is not complete; remove target/tools and try again")
}

/// Builds in a separate folder and moves the result into place, so that an interruption leaves no incomplete sysroot.
fn build(workspace: &Workspace, source: &Path, identity: &str, sysroot: &Path) -> Result<()> {
    let folder = workspace.tools().join("build-std");
    let mut command = Command::new(if Path::new(CARGO).is_file() { CARGO } else { "cargo" });
    environment::restore_library_paths(&mut command);
    command
        .current_dir(workspace.tools())
        .args(["build", "--release", "--locked", "--target", TARGET, "--manifest-path"])
        .arg(source.join("sysroot/Cargo.toml"))
        .arg("--target-dir")
        .arg(&folder)
        .env("RUSTC", COMPILER)
        .env("RUSTC_BOOTSTRAP", "1")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env("RUSTFLAGS", "-Zforce-unstable-if-unmarked -Cembed-bitcode=yes");
    process::run(
        &mut command,
        "the standard library could not be built; check that crates.io can be reached and try again",
    )?;
    let next = sysroot.with_extension("next");
    let _ = fs::remove_dir_all(&next);
    let libraries = next.join("lib/rustlib").join(TARGET).join("lib");
    fs::create_dir_all(&libraries)?;
    for entry in fs::read_dir(folder.join(TARGET).join("release/deps"))? {
        let file = entry?.path();
        if let (Some(name), true) = (file.file_name(), file.extension().is_some_and(|kind| kind == "rlib")) {
            fs::copy(&file, libraries.join(name))?;
        }
    }
    fs::write(next.join(STAMP), identity)?;
    // Cargo does not detect a changed standard library, and crates compiled with the old one do not link with it.
    let _ = fs::remove_dir_all(workspace.build_folder().join(TARGET));
    let _ = fs::remove_dir_all(sysroot);
    fs::rename(&next, sysroot)?;
    let _ = fs::remove_dir_all(folder);
    Ok(())
}

fn sysroot(workspace: &Workspace) -> PathBuf {
    workspace.tools().join("wasm-sysroot")
}

/// The output of `rustc -vV` of Debian's compiler.
fn identity() -> Option<String> {
    let mut command = Command::new(COMPILER);
    environment::restore_library_paths(&mut command);
    process::output(command.arg("-vV"))
}

/// The library's source. It must be of the compiler's exact version: another one does not compile.
fn library_source() -> Option<PathBuf> {
    let release = version_field(&identity()?, "release")?;
    let source = PathBuf::from(format!("/usr/src/rustc-{release}/library"));
    source.join("sysroot/Cargo.toml").is_file().then_some(source)
}

/// Fails if the compiler is too old for the project, as in older package lists.
fn require_version(workspace: &Workspace, identity: &str) -> Result<()> {
    let manifest = fs::read_to_string(workspace.path("Cargo.toml")).context("Cargo.toml cannot be read")?;
    let wanted = manifest
        .lines()
        .find_map(|line| line.strip_prefix("rust-version = "))
        .map(|version| version.trim_matches('"'));
    let release = version_field(identity, "release").unwrap_or_default();
    match wanted {
        Some(wanted) if minor(&release) < minor(wanted) => bail!(
            "Debian's rustc-web is {release} but the project needs {wanted}; run `apt-get update` with \
             the security archive enabled, or `rustup target add {TARGET}` where its server can be reached"
        ),
        _ => Ok(()),
    }
}

/// The first two numbers of a version.
fn minor(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.split('.').map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert!(minor("1.96.0") > minor("1.95"));
        assert!(minor("1.100.0") > minor("1.95"));
        assert!(minor("1.85.0") < minor("1.95"));
    }
}
