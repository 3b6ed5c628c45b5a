//! Calls cargo and reads its metadata.

use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::process;
use crate::workspace::Workspace;

/// The cargo that started this program, in the project's folder. Backtraces are off: the hundred frames of an async
/// backtrace hide the message of a failed test.
pub(crate) fn cargo(workspace: &Workspace) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(workspace.root()).env("RUST_BACKTRACE", "0");
    command
}

/// `cargo metadata`: every package, its targets, and the resolved dependencies.
pub(crate) fn metadata(workspace: &Workspace) -> Result<Value> {
    let mut command = cargo(workspace);
    command.args(["metadata", "--format-version", "1"]);
    let text = process::output(&mut command).context("`cargo metadata` failed; run it to see its message")?;
    serde_json::from_str(&text).context("the output of `cargo metadata` is not JSON")
}

/// The names of the integration tests in the workspace.
pub(crate) fn integration_tests(metadata: &Value) -> Vec<String> {
    let mut names: Vec<String> = workspace_packages(metadata)
        .flat_map(|package| items(&package["targets"]))
        .filter(|target| items(&target["kind"]).any(|kind| kind == "test"))
        .filter_map(|target| target["name"].as_str().map(String::from))
        .collect();
    names.sort();
    names.dedup();
    names
}

/// The packages of this workspace, without their dependencies.
pub(crate) fn workspace_packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    items(&metadata["packages"])
        .filter(|package| items(&metadata["workspace_members"]).any(|id| *id == package["id"]))
}

pub(crate) fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

/// The version of a package in the text of a `Cargo.lock`.
pub(crate) fn locked_version(lock: &str, package: &str) -> Option<String> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    lines.next()?;
    let version = lines.next()?.strip_prefix("version = \"")?;
    version.strip_suffix('"').map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
[[package]]
name = "wasm-bindgen-macro"
version = "0.2.1"

[[package]]
name = "wasm-bindgen"
version = "0.2.130"
source = "registry"
"#;

    #[test]
    fn the_locked_version_is_that_of_exactly_this_package() {
        let version = |name| locked_version(LOCK, name);
        assert_eq!(version("wasm-bindgen").as_deref(), Some("0.2.130"));
        assert_eq!(version("wasm-bindgen-macro").as_deref(), Some("0.2.1"));
        assert_eq!(version("wasm"), None);
    }

    #[test]
    fn integration_tests_of_dependencies_are_not_listed() {
        let metadata = serde_json::json!({
            "workspace_members": ["ours"],
            "packages": [
                { "id": "ours", "targets": [
                    { "name": "ours", "kind": ["lib"] },
                    { "name": "e2e", "kind": ["test"] },
                ] },
                { "id": "other", "targets": [{ "name": "theirs", "kind": ["test"] }] },
            ],
        });
        assert_eq!(integration_tests(&metadata), ["e2e"]);
    }
}
