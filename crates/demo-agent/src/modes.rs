//! The demo's ways of working. pi has none; the demo shows what an agent with modes looks like.

use serde::Serialize;

#[derive(Serialize, Debug)]
pub(crate) struct Mode {
    pub(crate) id: &'static str,
    name: &'static str,
    description: &'static str,
}

/// Runs whatever a scene wants to run.
pub(crate) const FREE: &str = "free";
/// Asks before every shell command.
pub(crate) const ASK: &str = "ask";

pub(crate) static MODES: [Mode; 2] = [
    Mode { id: FREE, name: "Free", description: "Runs its commands without asking" },
    Mode { id: ASK, name: "Ask first", description: "Asks before each shell command" },
];

pub(crate) fn find(id: &str) -> Option<&'static Mode> {
    MODES.iter().find(|mode| mode.id == id)
}
