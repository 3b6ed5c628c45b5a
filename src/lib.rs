//! The Pilothouse page: what a person sees and does, in the browser. It talks to the server it came from and to
//! nobody else, and turns text into elements, never into markup.

pub mod access;
pub mod actions;
pub mod browser;
pub mod route;
pub mod state;
pub mod transport;
pub mod ui;

/// Puts the page into the document.
pub fn mount() {
    leptos::mount::mount_to_body(ui::app::App);
}
