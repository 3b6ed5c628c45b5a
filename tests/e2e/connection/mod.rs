//! The connection between page and server: access, the first visit, faults, and several tabs.

mod access;
mod faults;
mod first_visit;
pub mod lost_connection;
mod many_tabs;
mod proxied;
mod unsent;
mod wire_cases;
