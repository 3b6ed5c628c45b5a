//! Stories of a user with a browser: the real server, the demo agent or the real pi, a real Chromium. Run them with
//! `cargo xtask test e2e`, which builds page and server and finds the browser.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod announcements;
mod answers;
mod choosing;
mod code;
mod continuity;
mod conveniences;
mod conversation;
mod door;
mod export;
mod faults;
mod files;
mod first_load;
mod first_run;
mod hostile;
mod keyboard;
mod library;
mod long;
mod long_answer;
mod look;
mod lost_connection;
mod many_tabs;
mod messages;
mod notifications;
mod phone;
mod pi;
mod pictures;
mod queue;
mod run_control;
mod screens;
mod stage;
mod unsent;
mod waiting;
mod wire_cases;
