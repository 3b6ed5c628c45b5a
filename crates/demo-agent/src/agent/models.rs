//! The demo's models, thinking levels and modes.

use serde::Serialize;
use serde_json::{Value, json};

pub(crate) const API: &str = "pilothouse-demo";
pub(crate) const PROVIDER: &str = "demo";
pub(crate) const CONTEXT_WINDOW: u64 = 200_000;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Model {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    /// Whether the model answers in fewer words.
    pub(crate) terse: bool,
}

pub(crate) static MODELS: [Model; 2] = [
    Model { id: "demo-guide", name: "Demo guide", terse: false },
    Model { id: "demo-guide-terse", name: "Demo guide, terse", terse: true },
];

pub(crate) const THINKING_LEVELS: [&str; 5] = ["off", "minimal", "low", "medium", "high"];
pub(crate) const DEFAULT_THINKING_LEVEL: &str = "medium";

impl Model {
    pub(crate) fn find(provider: &str, id: &str) -> Option<&'static Self> {
        MODELS.iter().find(|model| provider == PROVIDER && model.id == id)
    }

    /// The next model in the list; the first one follows the last.
    pub(crate) fn next(&self) -> &'static Self {
        let index = MODELS.iter().position(|model| model == self).unwrap_or_default();
        &MODELS[(index + 1) % MODELS.len()]
    }

    pub(crate) fn describe(&self) -> Value {
        json!({
            "id": self.id,
            "name": self.name,
            "api": API,
            "provider": PROVIDER,
            "baseUrl": "builtin:pilothouse",
            "reasoning": true,
            "input": ["text", "image"],
            "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
            "contextWindow": CONTEXT_WINDOW,
            "maxTokens": 16_384,
        })
    }
}

/// Returns the level with this name. As in pi, an unknown name means `off`.
pub(crate) fn thinking_level(name: &str) -> &'static str {
    THINKING_LEVELS.into_iter().find(|level| *level == name).unwrap_or("off")
}

pub(crate) fn next_thinking_level(level: &str) -> &'static str {
    let index = THINKING_LEVELS.iter().position(|name| *name == level).unwrap_or_default();
    THINKING_LEVELS[(index + 1) % THINKING_LEVELS.len()]
}

/// A way of working. pi has no modes; the demo has two, to show how the page presents them.
#[derive(Serialize, Debug)]
pub(crate) struct Mode {
    pub(crate) id: &'static str,
    name: &'static str,
    description: &'static str,
}

/// The mode that runs every shell command without asking.
pub(crate) const FREE: &str = "free";
/// The mode that asks before every shell command.
pub(crate) const ASK: &str = "ask";

pub(crate) static MODES: [Mode; 2] = [
    Mode { id: FREE, name: "Run without asking", description: "Runs shell commands without asking" },
    Mode { id: ASK, name: "Ask first", description: "Asks before each shell command" },
];

pub(crate) fn find_mode(id: &str) -> Option<&'static Mode> {
    MODES.iter().find(|mode| mode.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycling_wraps_around() {
        assert_eq!(MODELS[0].next().next(), &MODELS[0]);
        assert_eq!(next_thinking_level("high"), "off");
        assert_eq!(next_thinking_level("off"), "minimal");
    }

    #[test]
    fn only_known_names_are_found() {
        assert!(Model::find("demo", "demo-guide").is_some());
        assert!(Model::find("example", "demo-guide").is_none());
        assert_eq!(thinking_level("enormous"), "off");
    }
}
