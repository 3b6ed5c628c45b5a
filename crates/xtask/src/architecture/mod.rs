//! Checks of the architecture: dependencies point one way, every numbered case has its test, and every name of the style
//! sheets has a value. That pure crates use no clock, file or thread is checked by clippy, from the `clippy.toml` of
//! each crate.
//!
//! The rules are tables in `rules`; this module and its children only apply them.

mod cases;
mod dependencies;
mod layout;
mod rules;
mod style;

use anyhow::{Result, bail};
use serde_json::Value;

use crate::workspace::Workspace;

/// Fails with every breach at once, each a sentence.
pub(crate) fn check(workspace: &Workspace, metadata: &Value) -> Result<()> {
    let mut breaches = dependencies::breaches(metadata, &rules::DEPENDENCIES);
    breaches.extend(layout::breaches(workspace.root(), metadata)?);
    breaches.extend(cases::breaches(workspace.root())?);
    breaches.extend(style::breaches(workspace.root())?);
    if breaches.is_empty() {
        return Ok(());
    }
    bail!(
        "the architecture is broken (the rules are in crates/xtask/src/architecture/rules.rs):\n  {}",
        breaches.join("\n  ")
    )
}
