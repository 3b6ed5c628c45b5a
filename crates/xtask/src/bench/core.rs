//! `cargo xtask bench core`: runs crates/core/benches. Names are Criterion's: a group and a bench in it.

use std::collections::HashMap;
use std::time::SystemTime;

use anyhow::Result;

use super::comparisons::Comparison;
use super::table::{Budget, Unit};
use super::{estimates, print_table};
use crate::cargo;
use crate::process;
use crate::workspace::Workspace;

/// The number of rounds. The best time of each bench counts: other load on the machine only adds to a time, and rarely
/// in every round.
const ROUNDS: usize = 3;

const CORE: [Comparison; 9] = [
    times("one text delta, from 10 to 50,000 rows", "delta/rows-10", "delta/rows-50000", Some(1.2)),
    times(
        "  the same by copying the list per delta",
        "delta-by-copy/rows-10",
        "delta-by-copy/rows-50000",
        None,
    ),
    times("  at 50,000 rows, the fold and copying", "delta/rows-50000", "delta-by-copy/rows-50000", None),
    times("folding, from 10,000 to 100,000 events", "fold/events-10000", "fold/events-100000", Some(11.0)),
    times("a snapshot, from 1,000 to 50,000 rows", "snapshot/rows-1000", "snapshot/rows-50000", Some(1.2)),
    times(
        "Markdown, one delta, after 1 KB and 100 KB",
        "markdown-delta/text-1-kb",
        "markdown-delta/text-100-kb",
        Some(1.2),
    ),
    times(
        "  the same by parsing the whole per delta",
        "markdown-delta-whole/text-1-kb",
        "markdown-delta-whole/text-100-kb",
        None,
    ),
    times(
        "  at 100 KB, from the stream to the whole",
        "markdown-delta/text-100-kb",
        "markdown-delta-whole/text-100-kb",
        None,
    ),
    // The cost of the last block may grow with its length.
    times(
        "  in one open fence of 1 KB and of 100 KB",
        "markdown-delta/fence-1-kb",
        "markdown-delta/fence-100-kb",
        None,
    ),
];

const fn times(
    what: &'static str,
    base: &'static str,
    compared: &'static str,
    budget: Option<f64>,
) -> Comparison {
    let budget = match budget {
        Some(ratio) => Some(Budget::Ratio(ratio)),
        None => None,
    };
    Comparison::new(what, Unit::Nanoseconds, base, compared, budget)
}

pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let folder = workspace.build_folder().join("criterion");
    let mut best: HashMap<&str, f64> = HashMap::new();
    for _ in 0..ROUNDS {
        // Results of earlier runs do not belong into the same table.
        let start = SystemTime::now();
        let mut command = cargo::cargo(workspace);
        command.args(["bench", "-p", "pilothouse-core", "--"]).args(arguments).env("CRITERION_HOME", &folder);
        process::run(&mut command, "the benches failed; see above")?;
        for name in CORE.iter().flat_map(Comparison::names) {
            if let Some(median) = estimates::median(&folder, name, start) {
                best.entry(name).and_modify(|best| *best = best.min(median)).or_insert(median);
            }
        }
    }
    print_table(&CORE, |name| best.get(name).copied())
}
