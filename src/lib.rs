//! The Pilothouse page, which runs in the browser. It communicates only with the server that delivered it, and renders
//! text as DOM nodes, never as markup.

pub mod actions;
pub mod app;
pub mod browser;
pub mod dom;
pub mod features;
pub mod net;
pub mod reactive;
pub mod routes;
pub mod store;
pub mod widgets;

#[cfg(all(test, target_arch = "wasm32"))]
mod browser_tests;

/// Mounts the page to the document's body.
pub fn mount() {
    leptos::mount::mount_to_body(app::App);
}
