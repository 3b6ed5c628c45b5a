//! Checks the architecture: dependencies point one way, every numbered case has a test, and every custom property of the
//! style sheets is defined. Clippy checks that pure crates use no clock, file or thread (`clippy.toml` of each).
//!
//! The rules are tables in `rules`.

mod cases;
mod dependencies;
mod layout;
mod rules;
mod style;

use anyhow::{Result, bail};
use serde_json::Value;

use crate::workspace::Workspace;

/// Fails with a list of all breaches.
pub(crate) fn check(workspace: &Workspace, metadata: &Value) -> Result<()> {
    let mut breaches = dependencies::breaches(metadata, &rules::DEPENDENCIES);
    breaches.extend(layout::breaches(workspace.root(), metadata)?);
    breaches.extend(cases::breaches(workspace.root())?);
    breaches.extend(style::breaches(workspace.root())?);
    if breaches.is_empty() {
        return Ok(());
    }
    bail!(
        "the architecture rules are broken (they are in crates/xtask/src/architecture/rules.rs):\n  {}",
        breaches.join("\n  ")
    )
}
