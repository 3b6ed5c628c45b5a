//! The demo agent as the server meets it: a process that speaks pi's dialect on stdio.
//!
//! Every test starts the real binary, waits for lines and never for time, and leaves no process behind.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod conversation;
mod driver;
mod ending;
mod faults;
mod interruption;
mod reload;
mod script;
mod session;
mod shell;
