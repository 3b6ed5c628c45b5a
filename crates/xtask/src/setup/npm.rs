//! npm: where it is, and how packages are brought into a folder. Which packages, the tools' own files say.
//!
//! An installation counts when its stamp says so: the stamp is written last, and names the version.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::{apt, installing};
use crate::process;
use crate::report;

/// A registry that is slow at the first try is often quick at the second.
const TRIES: usize = 3;

const LIMIT: Duration = Duration::from_secs(240);

const STAMP: &str = "installed";

const ADVICE: &str =
    "Node with npm is needed for the end-to-end tests; install it and start the command again";

/// The machine's npm, or Debian's.
pub(super) fn ensure() -> Result<PathBuf> {
    if let Some(npm) = process::on_path("npm") {
        return Ok(npm);
    }
    if !apt::is_here() {
        bail!("{ADVICE}");
    }
    apt::install(&["nodejs", "npm"], "the end-to-end tests").context(ADVICE)?;
    process::on_path("npm").context(ADVICE)
}

/// Installs into a folder of its own unless its stamp says that this is there already.
pub(super) fn once(
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
    let npm = ensure()?;
    // What another version or an interrupted installation left is in the way.
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("{} cannot be removed", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let duration = format!("a download of some {size}");
    installing(&format!("{wanted}: {what}"), "target/tools", &duration, || install(&npm))?;
    fs::write(&stamp, wanted).with_context(|| format!("{} cannot be written", stamp.display()))
}

/// Installs packages below `folder`; no script of theirs is run, and no lock file is left.
pub(super) fn install(npm: &Path, folder: &Path, packages: &[&str]) -> Result<()> {
    in_folder(npm, folder, &["install", "--ignore-scripts", "--no-package-lock"], packages)
}

/// Downloads the archive of a package into `folder`, without what it depends on.
pub(super) fn pack(npm: &Path, folder: &Path, package: &str) -> Result<()> {
    in_folder(npm, folder, &["pack", "--silent", "--ignore-scripts"], &[package])
}

fn in_folder(npm: &Path, folder: &Path, arguments: &[&str], packages: &[&str]) -> Result<()> {
    for attempt in 1..=TRIES {
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
        if attempt < TRIES {
            report::note(&format!("npm could not get {}; trying again", packages.join(" ")));
        }
    }
    bail!(
        "npm could not get {} in {TRIES} tries; check that the npm registry can be reached and start the command again",
        packages.join(" ")
    )
}
