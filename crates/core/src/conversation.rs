//! The conversation: messages as agents report them, rows as people see them, and the reducer that folds one into the
//! other. Also what belongs to a conversation in progress: scheduled messages and open questions.

pub mod ask;
pub mod controller;
pub mod message;
pub mod queue;
pub mod turns;
pub mod ui_message;
