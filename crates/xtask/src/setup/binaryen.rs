//! wasm-opt, which makes the page smaller. It is optional: without it the page works, larger.

use std::fs;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::{Tool, installing};
use crate::process;
use crate::report;
use crate::workspace::Workspace;

const VERSION: &str = "132.0.0";

/// Older ones, such as Debian's, stop at instructions that today's compiler writes.
const OLDEST_USABLE: u32 = 120;

const LIMIT: Duration = Duration::from_secs(180);

pub(super) fn ensure(workspace: &Workspace) -> Option<Tool> {
    find(workspace).or_else(|| match install(workspace) {
        Ok(tool) => Some(tool),
        Err(error) => {
            report::note(&format!("the page is built without wasm-opt and gets larger: {error:#}"));
            None
        }
    })
}

fn find(workspace: &Workspace) -> Option<Tool> {
    let own = workspace.tools().join("npm/node_modules/.bin/wasm-opt");
    let wanted = process::major(VERSION)?.to_string();
    Tool::of_version(own, &wanted).or_else(|| {
        let program = process::on_path("wasm-opt")?;
        let version = process::version(&program)?;
        (process::major(&version)? >= OLDEST_USABLE).then_some(Tool { program, version })
    })
}

fn install(workspace: &Workspace) -> Result<Tool> {
    let npm =
        process::on_path("npm").context("npm is not installed; install Node with npm to change that")?;
    let folder = workspace.tools().join("npm");
    fs::create_dir_all(&folder)?;
    installing(&format!("wasm-opt {VERSION}"), "target/tools/npm", "some seconds", || {
        let mut command = Command::new(npm);
        command
            .args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1", "--prefix"])
            .arg(&folder)
            .arg(format!("binaryen@{VERSION}"));
        if !process::succeeds_within(&mut command, LIMIT)? {
            bail!("`npm install binaryen` failed; check that the npm registry can be reached");
        }
        Ok(())
    })?;
    find(workspace).context("wasm-opt was installed but does not start; remove target/tools/npm")
}
