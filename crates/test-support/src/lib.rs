//! Fixtures shared by the integration tests and benches of all packages.
//!
//! Only dev-dependencies name this crate. A fixture that a single test program uses stays with that program.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failing fixture fails its test"
)]

pub mod acp_script;
#[cfg(feature = "browser")]
pub mod browser;
#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "server")]
pub mod disk_faults;
#[cfg(feature = "client")]
pub mod http;
#[cfg(feature = "server")]
pub mod preload;
pub mod process;
pub mod proxy;
pub mod recordings;
pub mod rows;
#[cfg(feature = "server")]
pub mod scripted_agent;
#[cfg(feature = "server")]
pub mod server;
pub mod session_file;
#[cfg(any(feature = "browser", feature = "client"))]
pub mod stubborn_children;
pub mod wait;

use std::time::Duration;

/// The time after which a wait fails. It is far longer than anything takes, so only a hang reaches it.
pub const PATIENCE: Duration = Duration::from_secs(30);
