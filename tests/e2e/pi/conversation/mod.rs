//! Conversations with pi: text, tools, questions, messages while it works, and interruptions.

mod choosing;
mod extensions;
mod interruption;
mod pictures;
mod questions;
mod scheduled;
mod shell;
mod steering;
mod streaming;
mod tools;
