//! The Pilothouse page: what a person sees and does, in the browser. It talks to the server it came from and to
//! nobody else, and turns text into elements, never into markup.

pub mod actions;
pub mod app;
pub mod browser;
pub mod dom;
pub mod features;
pub mod net;
pub mod routes;
pub mod store;
pub mod widgets;

#[cfg(all(test, target_arch = "wasm32"))]
mod browser_tests;

/// Puts the page into the document.
pub fn mount() {
    leptos::mount::mount_to_body(app::App);
}
