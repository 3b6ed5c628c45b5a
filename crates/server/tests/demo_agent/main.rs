//! The demo agent as the server sees it: a process that speaks pi's RPC protocol on stdio.
//!
//! Every test starts the real binary, waits for its output instead of sleeping, and leaves no process behind.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod conversation;
mod driver;
mod ending;
mod faults;
mod interruption;
mod reload;
mod script;
mod session;
mod shell;
