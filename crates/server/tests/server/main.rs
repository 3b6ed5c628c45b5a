//! The real server with the demo agent, over real sockets.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod client;
mod commands;
mod conversation;
mod disconnects;
mod door;
mod elsewhere;
mod faults;
mod floods;
mod http;
mod kept;
mod kills;
mod meetings;
mod queue;
mod random;
mod recordings;
mod resume;
mod running;
mod search;
mod session_files;
mod shell;
mod start;
mod whole_sessions;

// What the recordings are, and what is seen of rows, is told in one place for all tests.
#[path = "../../../agents/tests/recordings/live.rs"]
#[allow(dead_code, reason = "the tests of the codec use the rest")]
mod live;
#[path = "../../../agents/tests/recordings/rows.rs"]
mod rows;
#[path = "../../../agents/tests/recordings/scenario.rs"]
#[allow(dead_code, reason = "the tests of the codec use the rest")]
mod scenario;

use std::path::Path;

use running::{Running, Setup};

fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_pilothouse"))
}

/// A server with a project folder to work in.
fn server() -> (Running, tempfile::TempDir) {
    let project = tempfile::tempdir().unwrap();
    std::fs::write(project.path().join("README.md"), "# A project\n\nWith two lines.\n").unwrap();
    (Setup::new(binary()).project(project.path()).start(), project)
}
