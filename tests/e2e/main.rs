//! Stories of a person with a browser: the real server, the demo agent or the real pi, a real Chromium. Run by `cargo xtask test e2e`,
//! which builds page and server and says where the browser is.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod announcements;
mod answers;
mod choosing;
mod code;
mod comfort;
mod continuity;
mod conversation;
mod door;
mod faults;
mod files;
mod first_load;
mod first_run;
mod hostile;
mod keyboard;
mod leaving;
mod library;
mod long;
mod long_answer;
mod look;
mod lost_line;
mod many_tabs;
mod messages;
mod phone;
mod pi;
mod pictures;
mod queue;
mod screens;
mod stage;
mod unsent;
mod waiting;
mod wire_cases;
mod work;
