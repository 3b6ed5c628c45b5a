//! `cargo xtask bench …`: runs benches and tells what they mean as ratios, each beside its budget.
//!
//! A budget that is exceeded is shown and fails nothing: how fast a machine is at the moment is no property of the
//! code. A part has its own file here, with what it compares; what is measured lives with what it measures.

mod comparisons;
pub(crate) mod core;
mod estimates;
pub(crate) mod page;
mod table;

use anyhow::{Result, bail};

use self::comparisons::Comparison;
use self::table::Line;
use crate::report;

/// Prints the table of what was measured.
fn tell(comparisons: &[Comparison], measured: impl Fn(&str) -> Option<f64>) -> Result<()> {
    let lines: Vec<Line> = comparisons.iter().filter_map(|comparison| comparison.line(&measured)).collect();
    if lines.is_empty() {
        bail!("nothing that is compared was measured; leave out what follows `--`, or name less of a bench");
    }
    report::plain("");
    report::plain(&table::told(&lines));
    report::plain(&table::closing_line(&lines, comparisons.len()));
    Ok(())
}
