//! What is drawn: one component per file. Components know no socket and parse no protocol; they read `state` and
//! call `actions`.

pub mod access_screen;
pub mod agent_choice;
pub mod announcer;
pub mod app;
pub mod ask_card;
pub mod attention;
pub mod beside;
pub mod choices;
pub mod composer;
pub mod confirm;
pub mod connection;
pub mod context_ring;
pub mod copy_button;
pub mod dynamic;
pub mod find_bar;
pub mod focus;
pub mod folder_picker;
pub mod icon;
pub mod keys;
pub mod layout;
pub mod markdown;
pub mod mention;
pub mod mention_menu;
pub mod model_picker;
pub mod new_session;
pub mod notices;
pub mod picture_tray;
pub mod popover;
pub mod queue;
pub mod queue_row;
pub mod recall;
pub mod relative_time;
pub mod rename_field;
pub mod rows;
pub mod run_status;
pub mod search;
pub mod session_menu;
pub mod session_page;
pub mod session_words;
pub mod settings;
pub mod shortcuts;
pub mod sidebar;
pub mod sidebar_row;
pub mod slash;
pub mod slash_menu;
pub mod state_mark;
pub mod thinking_level;
pub mod timeline;
pub mod title_bar;
pub mod viewer;
pub mod visible_text;
pub mod waiting_tray;

#[cfg(all(test, target_arch = "wasm32"))]
mod browser_tests;
