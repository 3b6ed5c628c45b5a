//! The real server with the demo agent, over real sockets.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod commands;
mod conversation;
mod disconnects;
mod door;
mod elsewhere;
mod faults;
mod floods;
mod kept;
mod kills;
mod meetings;
mod queue;
mod random;
mod recordings;
mod resume;
mod search;
mod session_files;
mod shell;
mod start;
mod whole_sessions;

use std::path::Path;

use pilothouse_test_support::server::{ServerSetup, TestServer};

/// The server binary that cargo built for these tests.
fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_pilothouse"))
}

/// A server with a project folder to work in.
fn server() -> (TestServer, tempfile::TempDir) {
    let project = tempfile::tempdir().unwrap();
    std::fs::write(project.path().join("README.md"), "# A project\n\nWith two lines.\n").unwrap();
    (ServerSetup::new(binary()).project(project.path()).start(), project)
}
