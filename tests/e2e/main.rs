//! Stories of a user with a browser: the real server, the demo agent or the real pi, a real Chromium. Run them with
//! `cargo xtask test e2e`, which builds page and server and finds the browser.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

/// The JavaScript file of this name in `tests/e2e/js`.
macro_rules! js {
    ($name:literal) => {
        pilothouse_test_support::browser::JavaScript(include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/e2e/js/",
            $name,
            ".js"
        )))
    };
}

mod agents;
mod composer;
mod connection;
mod conversation;
mod first_load;
mod fixture;
mod hostile;
mod looks;
mod model;
mod pi;
mod reading;
mod sessions;
