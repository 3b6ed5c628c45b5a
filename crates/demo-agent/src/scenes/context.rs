//! `/compact`: a reply, and after it the conversation is compacted.

use super::{Block, CallResult, Reply, Scene, Setting, Step};
use crate::agent::models::CONTEXT_WINDOW;

pub(super) struct CompactScene;

impl CompactScene {
    pub(super) fn new(_arguments: &str) -> Self {
        Self
    }
}

impl Scene for CompactScene {
    fn next(&mut self, setting: &Setting, _results: &[CallResult]) -> Step {
        if !setting.compactable {
            return Step::say(
                "There is nothing to compact yet. Send a few messages first (`/long` makes it worth while), then \
                `/compact` again.",
            );
        }
        Step::Reply(Reply {
            blocks: vec![Block::Text(format!(
                "The conversation has about {} tokens now. When this reply is over, everything before it is replaced by \
                a summary; the page keeps showing all of it. Until the next reply, the context ring says that it does \
                not know.",
                setting.tokens
            ))],
            then_compact: true,
        })
    }
}

pub(super) struct UsageScene;

impl UsageScene {
    pub(super) fn new(_arguments: &str) -> Self {
        Self
    }
}

impl Scene for UsageScene {
    fn next(&mut self, setting: &Setting, _results: &[CallResult]) -> Step {
        let percent = setting.tokens as f64 * 100.0 / CONTEXT_WINDOW as f64;
        Step::say(format!(
            "| | |\n|---|---|\n| model | `{}` |\n| thinking | `{}` |\n| context | {} of {CONTEXT_WINDOW} tokens ({percent:.2} %) |\n\
            | cost | nothing: no model is asked |\n\nA token is taken as four characters. `/long` fills the context \
            quickly, `/compact` empties it.",
            setting.model, setting.thinking_level, setting.tokens
        ))
    }
}
