//! The heart of Pilothouse, shared by the server and the page: the one message model, the reducer that folds
//! events into it, the session state machine and the frames that travel between page and server.
//!
//! Everything here is pure. This crate never reads a clock, a file or a socket, never starts a thread, never draws
//! random numbers and never touches a DOM, so that server and page compute the same thing from the same events.

pub mod ask;
pub mod controller;
pub mod describe;
pub mod diff;
pub mod event;
pub mod export;
pub mod failure;
pub mod fields;
pub mod find;
pub mod limits;
pub mod machine;
pub mod markdown;
pub mod message;
pub mod queue;
pub mod readable;
pub mod tool_kind;
pub mod tool_view;
pub mod turns;
pub mod ui_message;
pub mod view;
pub mod visible_text;
pub mod wire;

pub use controller::MessageController;
pub use event::Event;
pub use machine::{Machine, SessionState};
pub use message::Message;
pub use ui_message::{BashResult, Image, Kind, Mark, Phase, ToolStep, UiMessage};
pub use view::SessionView;
