//! The architecture, checked: dependencies point one way, some crates name no clock, file or thread, and
//! every numbered case has its test; every name of the style has a value.
//!
//! The rules are tables in `rules`; this module and its children only apply them.

mod cases;
mod code;
mod dependencies;
mod layout;
mod rules;
mod source;
mod style;

use anyhow::{Result, bail};
use serde_json::Value;

use crate::workspace::Workspace;

/// Fails with every breach at once, each a sentence.
pub(crate) fn check(workspace: &Workspace, metadata: &Value) -> Result<()> {
    let mut breaches = dependencies::breaches(metadata, &rules::DEPENDENCIES);
    breaches.extend(source::breaches(workspace.root(), &rules::SOURCES)?);
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
