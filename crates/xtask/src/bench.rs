//! `cargo xtask bench core`: runs core's benches and tells what they mean as ratios, each beside its budget.
//!
//! A budget that is exceeded is shown and fails nothing: how fast a machine is at the moment is no property of the
//! code. What is measured is in crates/core/benches, what is compared in `comparisons`.

mod comparisons;
mod estimates;
mod table;

use std::collections::HashMap;
use std::time::SystemTime;

use anyhow::{Result, bail};

use self::comparisons::{CORE, Comparison};
use self::table::Line;
use crate::cargo;
use crate::process;
use crate::report;
use crate::workspace::Workspace;

/// All benches are run so often, one round after the other, and the best of each counts: whatever else the machine
/// does only ever adds to a time, and seldom to all rounds of one bench.
const ROUNDS: usize = 3;

pub(crate) fn core(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let folder = workspace.build_folder().join("criterion");
    let mut best: HashMap<&str, f64> = HashMap::new();
    for _ in 0..ROUNDS {
        // What earlier runs measured is of other circumstances, and not for the same table.
        let start = SystemTime::now();
        let mut command = cargo::cargo(workspace);
        command.args(["bench", "-p", "pilothouse-core", "--"]).args(arguments).env("CRITERION_HOME", &folder);
        process::run(&mut command, "the benches could not be run; the lines above say why")?;
        for name in CORE.iter().flat_map(Comparison::names) {
            if let Some(median) = estimates::median(&folder, name, start) {
                best.entry(name).and_modify(|best| *best = best.min(median)).or_insert(median);
            }
        }
    }
    let measured = |name: &str| best.get(name).copied();
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
