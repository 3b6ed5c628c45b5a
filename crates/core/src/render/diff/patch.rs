//! Reads patches in the formats that agents write: unified, `apply_patch`, and the numbered lines that pi shows.
//! Reading is lenient: text around a patch is skipped, and the lines themselves count for more than the numbers in
//! headers.

mod apply_patch;
mod numbered;
mod paths;
mod unified;

use super::FileDiff;
use super::builder::DisplayBudget;

/// The changed files of a patch. Empty if the text contains none.
pub(super) fn parse(text: &str) -> Vec<FileDiff> {
    let budget = &mut DisplayBudget::default();
    if apply_patch::is_patch(text) {
        return apply_patch::parse(text, budget);
    }
    let files = unified::parse(text, budget);
    if !files.is_empty() {
        return files;
    }
    numbered::parse(text, budget).into_iter().collect()
}
