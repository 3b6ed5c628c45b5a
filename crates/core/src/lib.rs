//! The heart of Pilothouse, shared by the server and the page: the one message model, the reducer that folds
//! events into it, the session state machine and the frames that travel between page and server.
//!
//! Everything here is pure. This crate never reads a clock, a file or a socket, never starts a thread, never draws
//! random numbers and never touches a DOM, so that server and page compute the same thing from the same events.

pub mod conversation;
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
