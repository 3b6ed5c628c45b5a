//! Debian's packages. Nothing else is installed outside `target/`.

use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use super::installing;
use crate::process;

/// Whether the system has Debian's package manager.
pub(super) fn is_available() -> bool {
    process::on_path("apt-get").is_some()
}

/// Installs packages. If that needs a password, the error names the command to run.
pub(super) fn install(packages: &[&str], purpose: &str) -> Result<()> {
    let names = packages.join(" ");
    let Some(privilege) = privilege() else {
        bail!("{purpose} needs system packages; run `sudo apt-get install {names}` and try again");
    };
    installing(
        &format!("Debian packages {names}, for {purpose}"),
        "the system",
        "a download of up to 100 MB",
        || {
            // After an interrupted installation dpkg refuses to install anything else.
            let _ = with(privilege, &["dpkg", "--configure", "-a"]).status();
            // Old package lists may suffice, so a failed update is not an error.
            let _ = with(privilege, &["apt-get", "update", "--quiet"]).status();
            let arguments = ["apt-get", "install", "--yes", "--quiet", "--no-install-recommends"];
            let mut command = with(privilege, &arguments);
            command.args(["-o", "DPkg::Lock::Timeout=300"]).args(packages);
            process::run(
                &mut command,
                &format!(
                    "the packages could not be installed; run `apt-get install {names}` as root to see why"
                ),
            )
        },
    )
}

/// The words before a command that run it as root without a password; `None` if that is impossible.
fn privilege() -> Option<&'static [&'static str]> {
    if is_root() {
        return Some(&[]);
    }
    let mut sudo = Command::new("sudo");
    sudo.args(["-n", "true"]).stderr(Stdio::null());
    let allowed = sudo.status().is_ok_and(|status| status.success());
    allowed.then_some(&["sudo", "-n"])
}

pub(super) fn is_root() -> bool {
    process::output(Command::new("id").arg("-u")).is_some_and(|user| user == "0")
}

fn with(privilege: &[&str], arguments: &[&str]) -> Command {
    let mut words = privilege.iter().chain(&["env", "DEBIAN_FRONTEND=noninteractive"]).chain(arguments);
    let mut command = Command::new(words.next().unwrap_or(&"env"));
    command.args(words).stdin(Stdio::null());
    command
}
