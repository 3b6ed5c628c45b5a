//! The conversation: messages as agents send them (`message`), rows as the page shows them (`ui_message`), and the
//! reducer that turns one into the other (`controller`). Also the queue of scheduled messages, the agent's questions,
//! its plan, and the output of running commands. `limit` cuts what is too long.

pub mod ask;
pub mod controller;
pub mod limit;
pub mod live_output;
pub mod message;
pub mod plan;
pub mod queue;
pub mod ui_message;
