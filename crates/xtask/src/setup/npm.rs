//! Installs npm packages into folders.
//!
//! A stamp with the version is written last: without it an installation is incomplete and is repeated.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::{apt, installing};
use crate::process;
use crate::report;

/// A registry that is slow at first often answers the second request.
pub(super) const TRIES: usize = 3;

const LIMIT: Duration = Duration::from_secs(240);

const STAMP: &str = "installed";

const ADVICE: &str = "the end-to-end tests need Node with npm; install it and try again";

/// The npm on the PATH, else Debian's.
fn npm() -> Result<PathBuf> {
    if let Some(npm) = process::on_path("npm") {
        return Ok(npm);
    }
    if !apt::is_available() {
        bail!("{ADVICE}");
    }
    apt::install(&["nodejs", "npm"], "the end-to-end tests").context(ADVICE)?;
    process::on_path("npm").context(ADVICE)
}

/// Installs into a folder unless its stamp names the wanted version.
pub(super) fn ensure_installed(
    folder: &Path,
    wanted: &str,
    what: &str,
    size: &str,
    install: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    let stamp = folder.join(STAMP);
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let npm = npm()?;
    // Remove what another version or an interrupted installation left.
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("{} cannot be removed", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("{} cannot be created", folder.display()))?;
    let duration = format!("a download of about {size}");
    installing(&format!("{wanted}: {what}"), "target/tools", &duration, || install(&npm))?;
    fs::write(&stamp, wanted).with_context(|| format!("{} cannot be written", stamp.display()))
}

/// Installs packages into `folder`, without running their scripts and without a lock file.
pub(super) fn install(npm: &Path, folder: &Path, packages: &[&str], tries: usize) -> Result<()> {
    run(npm, folder, &["install", "--ignore-scripts", "--no-package-lock"], packages, tries)
}

/// Downloads the archive of a package into `folder`, without its dependencies.
pub(super) fn pack(npm: &Path, folder: &Path, package: &str) -> Result<()> {
    run(npm, folder, &["pack", "--silent", "--ignore-scripts"], &[package], TRIES)
}

fn run(npm: &Path, folder: &Path, arguments: &[&str], packages: &[&str], tries: usize) -> Result<()> {
    for attempt in 1..=tries {
        let mut command = Command::new(npm);
        command
            .current_dir(folder)
            .args(arguments)
            .args(["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"])
            .args(["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--prefix"])
            .arg(folder)
            .args(packages);
        if process::succeeds_within(&mut command, LIMIT)? {
            return Ok(());
        }
        if attempt < tries {
            report::note(&format!("npm could not download {}; retrying", packages.join(" ")));
        }
    }
    bail!(
        "npm could not download {}; check that the npm registry can be reached and try again",
        packages.join(" ")
    )
}
