//! Bubblewrap, for the tests of sandboxed agents. Without it they check only that a sandboxed agent does not start.

use super::apt;
use crate::process;
use crate::report;

const PROGRAM: &str = "bwrap";

pub(crate) fn install_if_missing() {
    if !cfg!(target_os = "linux") || process::on_path(PROGRAM).is_some() {
        return;
    }
    if !apt::is_available() {
        return report::note("sandboxes are not tested: bubblewrap is not installed");
    }
    if let Err(error) = apt::install(&["bubblewrap"], "the tests of sandboxes") {
        report::note(&format!("sandboxes are not tested: {error:#}"));
    }
}
