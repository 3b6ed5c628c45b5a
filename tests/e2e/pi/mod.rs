//! Stories with the real pi: its own process, its own session files, and a model of ours behind it that says what the
//! story wants. What the demo agent can tell as well is told without pi, elsewhere.

mod connection;
mod model;
mod reply;
mod stage;

mod choosing;
mod compaction;
mod ending;
mod extensions;
mod hostile;
mod library;
mod many_tabs;
mod old_generation;
mod pictures;
mod questions;
mod scheduled;
mod shell;
mod steering;
mod streaming;
mod takeover;
mod terminal;
mod tools;
mod trouble;
mod unusable;
