//! The core of Pilothouse, shared by the server and the page: the message model, the reducer that folds events into rows,
//! the session state machine, and the protocol between clients and the server.
//!
//! This crate is pure: it reads no clock, file or socket, starts no thread, draws no random numbers and touches no DOM,
//! so that server and page compute the same from the same events.

// Tests may read files and clocks; see clippy.toml.
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

pub mod conversation;
pub mod image_header;
pub mod json;
pub mod limits;
pub mod protocol;
pub mod render;
pub mod session;

pub use conversation::controller::MessageController;
pub use conversation::message::Message;
pub use conversation::ui_message::{BashResult, Image, Kind, Mark, Phase, ToolStep, UiMessage};
pub use protocol::event::Event;
pub use session::machine::{Machine, SessionState};
pub use session::view::SessionView;
