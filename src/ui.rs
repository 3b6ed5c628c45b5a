//! What is drawn: one component per file. Components know no socket and parse no protocol; they read `state` and
//! call `actions`.

pub mod access_screen;
pub mod agent_choice;
pub mod app;
pub mod ask_card;
pub mod composer;
pub mod connection;
pub mod context_ring;
pub mod dynamic;
pub mod folder_picker;
pub mod follow;
pub mod icon;
pub mod keys;
pub mod layout;
pub mod markdown;
pub mod new_session;
pub mod notices;
pub mod queue;
pub mod relative_time;
pub mod rows;
pub mod run_status;
pub mod session_page;
pub mod sidebar;
pub mod sidebar_row;
pub mod state_mark;
pub mod timeline;
pub mod title_bar;
pub mod visible_text;

#[cfg(all(test, target_arch = "wasm32"))]
mod browser_tests;
