//! The conversation: messages as agents send them (`message`), rows as the page shows them (`ui_message`), and the
//! reducer that turns one into the other (`controller`). Also the queue of scheduled messages and the agent's
//! questions.

pub mod ask;
pub mod controller;
pub mod message;
pub mod queue;
pub mod ui_message;
