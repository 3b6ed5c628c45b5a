//! `cargo xtask bench core`: runs core's benches and tells what they mean as ratios, each beside its budget.
//!
//! A budget that is exceeded is shown and fails nothing: how fast a machine is at the moment is no property of the
//! code. What is measured is in crates/core/benches, what is compared in `comparisons`.

mod comparisons;
mod estimates;
mod table;

use std::time::SystemTime;

use anyhow::{Result, bail};

use self::comparisons::CORE;
use self::table::Line;
use crate::cargo;
use crate::process;
use crate::report;
use crate::workspace::Workspace;

pub(crate) fn core(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let folder = workspace.build_folder().join("criterion");
    let start = SystemTime::now();
    let mut command = cargo::cargo(workspace);
    command.args(["bench", "-p", "pilothouse-core", "--"]).args(arguments).env("CRITERION_HOME", &folder);
    process::run(&mut command, "the benches could not be run; the lines above say why")?;
    // What earlier runs measured is of other circumstances, and not for the same table.
    let measured = |name: &str| estimates::median(&folder, name, start);
    let lines: Vec<Line> = CORE.iter().filter_map(|comparison| comparison.line(&measured)).collect();
    if lines.is_empty() {
        bail!(
            "no two benches that are compared were run; leave out what follows `--`, or name less of a bench"
        );
    }
    report::plain("");
    report::plain(&table::told(&lines));
    report::plain(&table::closing_line(&lines, CORE.len()));
    Ok(())
}
