//! The features of the page. Components read `store` and call `actions`; they know no socket and parse no protocol.

pub mod announcements;
mod asks;
mod composer;
mod find;
pub mod new_session;
pub mod notifications;
mod queue;
pub mod rows;
mod search;
pub mod session;
pub mod settings;
pub mod shortcuts;
pub mod sidebar;
mod timeline;
mod title_bar;
