//! The real server with the demo agent, tested over real sockets.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod access;
mod acp;
mod allowed_roots;
mod approvals;
mod bounds;
mod branches;
mod caps;
mod commands;
mod concurrency;
#[cfg(target_os = "linux")]
mod containment;
#[cfg(target_os = "linux")]
mod control_groups;
mod conversation;
mod data_folder;
mod devices;
mod disconnects;
mod durability;
mod external_writer;
mod faults;
mod lifecycle;
mod load;
mod misbehaving_agents;
mod privacy;
mod queue;
mod random;
mod random_kills;
mod recordings;
mod resume;
#[cfg(target_os = "linux")]
mod sandbox;
mod search;
mod session_files;
mod session_management;
mod shell;
mod slow_client;
mod storage;
mod tls;

use std::path::Path;

use pilothouse_test_support::server::{ServerSetup, TestServer};

/// The server binary that cargo built for these tests.
fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_pilothouse"))
}

/// Starts a server with a project folder.
fn server() -> (TestServer, tempfile::TempDir) {
    let project = tempfile::tempdir().unwrap();
    std::fs::write(project.path().join("README.md"), "# A project\n\nWith two lines.\n").unwrap();
    (ServerSetup::new(binary()).project(project.path()).start(), project)
}
