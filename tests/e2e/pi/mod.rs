//! Stories with the real pi: its own process, its own session files, and a model server that replies as the story
//! says. Stories that the demo agent can tell as well are elsewhere.

mod conversation;
pub mod fixture;
mod limits;
mod sessions;
mod terminal;
