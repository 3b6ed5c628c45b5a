//! nginx, for the test behind a reverse proxy. Debian's package is unpacked rather than installed, which would start a
//! server.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{Tool, apt, installing};
use crate::process;
use crate::workspace::Workspace;

const ADVICE: &str = "the test behind a reverse proxy needs nginx; install it and try again";

/// Finds nginx or unpacks it below `target/tools`.
pub(crate) fn ensure(workspace: &Workspace) -> Result<Tool> {
    let _lock = workspace.lock()?;
    if let Some(nginx) = find(workspace) {
        return Ok(nginx);
    }
    if !apt::is_available() {
        bail!("{ADVICE}");
    }
    let folder = folder(workspace);
    installing("nginx", &workspace.shown(&folder), "a download of 1 MB", || unpack(&folder))
        .context(ADVICE)?;
    find(workspace).context(ADVICE)
}

fn find(workspace: &Workspace) -> Option<Tool> {
    let unpacked = folder(workspace).join("usr/sbin/nginx");
    let known = [PathBuf::from("/usr/sbin/nginx"), unpacked];
    let program = process::on_path("nginx").or_else(|| known.into_iter().find(|path| path.is_file()))?;
    // `nginx -v` writes to stderr, and `nginx -V` all its options.
    let output = Command::new(&program).arg("-v").output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let version = text.trim().rsplit('/').next().unwrap_or_default().to_owned();
    Some(Tool { program, version })
}

fn folder(workspace: &Workspace) -> PathBuf {
    workspace.tools().join("nginx")
}

fn unpack(folder: &PathBuf) -> Result<()> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder)?;
    let mut download = Command::new("apt-get");
    download.args(["download", "--quiet", "nginx"]).current_dir(folder);
    process::run(&mut download, "Debian's package nginx could not be downloaded")?;
    let package = fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    let package = package.into_iter().find(|path| path.extension().is_some_and(|kind| kind == "deb"));
    let package = package.context("apt-get downloaded nothing")?;
    let mut unpack = Command::new("dpkg-deb");
    process::run(
        unpack.arg("--extract").arg(&package).arg(folder),
        "Debian's package nginx could not be unpacked",
    )?;
    Ok(fs::remove_file(package)?)
}
