//! The demo agent as the server meets it: a process that speaks pi's dialect on stdio.
//!
//! Every test starts the real binary, waits for lines and never for time, and leaves no process behind.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "demo_agent/driver.rs"]
mod driver;

#[path = "demo_agent/conversation.rs"]
mod conversation;
#[path = "demo_agent/ending.rs"]
mod ending;
#[path = "demo_agent/faults.rs"]
mod faults;
#[path = "demo_agent/interruption.rs"]
mod interruption;
#[path = "demo_agent/reload.rs"]
mod reload;
#[path = "demo_agent/script.rs"]
mod script;
#[path = "demo_agent/session.rs"]
mod session;
#[path = "demo_agent/shell.rs"]
mod shell;
