//! `cargo xtask bench …`: runs benches and prints the results as ratios, each with its budget.
//!
//! An exceeded budget is shown but is not an error: the speed of the machine is not a property of the code. Each subject
//! has a module with its comparisons; the benches are beside the code that they measure.

mod comparisons;
pub(crate) mod core;
mod estimates;
pub(crate) mod page;
mod table;

use anyhow::{Result, bail};

use self::comparisons::Comparison;
use self::table::Line;
use crate::report;

/// Prints the table of the measured comparisons.
fn print_table(comparisons: &[Comparison], measured: impl Fn(&str) -> Option<f64>) -> Result<()> {
    let lines: Vec<Line> = comparisons.iter().filter_map(|comparison| comparison.line(&measured)).collect();
    if lines.is_empty() {
        bail!("no comparison was measured; remove the arguments after `--`, or select more benches");
    }
    report::plain("");
    report::plain(&table::format(&lines));
    report::plain(&table::summary(&lines, comparisons.len()));
    Ok(())
}
