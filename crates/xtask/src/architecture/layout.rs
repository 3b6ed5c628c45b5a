//! Checks the top level of the project, the lints that every crate inherits, and the `clippy.toml` of pure crates.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::rules::{PURE, TOP_LEVEL};
use crate::cargo::workspace_packages;

pub(super) fn breaches(root: &Path, metadata: &Value) -> Result<Vec<String>> {
    let mut breaches: Vec<String> = TOP_LEVEL
        .iter()
        .filter(|entry| !root.join(entry).exists())
        .map(|entry| format!("the top level has no {entry}"))
        .collect();
    for package in workspace_packages(metadata) {
        let manifest = package["manifest_path"]
            .as_str()
            .context("`cargo metadata` lists a package without a manifest")?;
        let text = fs::read_to_string(manifest).with_context(|| format!("{manifest} cannot be read"))?;
        if !inherits_workspace_lints(&text) {
            let name = package["name"].as_str().unwrap_or_default();
            breaches.push(format!(
                "{name} does not inherit the workspace's lints: its manifest needs `[lints] workspace = true`"
            ));
        }
    }
    breaches.extend(impure(root));
    Ok(breaches)
}

/// Pure crates forbid clocks, files and threads with equal files `clippy.toml`.
fn impure(root: &Path) -> Option<String> {
    let rules =
        PURE.map(|folder| fs::read_to_string(root.join(folder).join("clippy.toml")).unwrap_or_default());
    let equal = !rules[0].is_empty() && rules.iter().all(|other| *other == rules[0]);
    (!equal).then(|| format!("the files clippy.toml of {} must exist and be equal", PURE.join(", ")))
}

fn inherits_workspace_lints(manifest: &str) -> bool {
    let lines: Vec<&str> = manifest.lines().map(str::trim).collect();
    let own = lines.iter().skip_while(|line| **line != "[lints]").skip(1);
    own.take_while(|line| !line.starts_with('[')).any(|line| *line == "workspace = true")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lints_of_the_workspace_are_required() {
        assert!(inherits_workspace_lints("[package]\n\n[lints]\nworkspace = true\n"));
        assert!(!inherits_workspace_lints("[package]\nname = \"loose\"\n"));
        assert!(!inherits_workspace_lints("[lints]\n\n[dependencies]\nworkspace = true\n"));
        assert!(!inherits_workspace_lints("[lints.rust]\nunsafe_code = \"allow\"\n"));
    }
}
