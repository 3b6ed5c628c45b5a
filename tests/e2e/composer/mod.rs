//! The composer: prompts, their history, models and commands, images, scheduled messages.

mod choosing;
mod conveniences;
pub mod pictures;
mod queue;
