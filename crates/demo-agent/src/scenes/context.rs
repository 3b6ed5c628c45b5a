//! The context window: `/compact` and `/usage`.

use super::{Block, CallResult, Reply, Scene, SceneContext, Step};
use crate::agent::models::CONTEXT_WINDOW;

/// `/compact`: replies, then compacts the conversation.
pub(super) struct CompactScene;

impl CompactScene {
    pub(super) fn new(_arguments: &str) -> Self {
        Self
    }
}

impl Scene for CompactScene {
    fn next(&mut self, context: &SceneContext, _results: &[CallResult]) -> Step {
        if !context.compactable {
            return Step::say(
                "There is nothing to compact yet. Send a few messages first (try `/long`), then \
                `/compact` again.",
            );
        }
        Step::Reply(Reply {
            blocks: vec![Block::Text(format!(
                "The conversation has about {} tokens now. After this reply, a summary replaces everything \
                before it in the context; you still see all of it. Until the next reply, context usage is unknown.",
                context.tokens
            ))],
            then_compact: true,
        })
    }
}

/// `/usage`: shows how full the context window is.
pub(super) struct UsageScene;

impl UsageScene {
    pub(super) fn new(_arguments: &str) -> Self {
        Self
    }
}

impl Scene for UsageScene {
    fn next(&mut self, context: &SceneContext, _results: &[CallResult]) -> Step {
        let percent = context.tokens as f64 * 100.0 / CONTEXT_WINDOW as f64;
        Step::say(format!(
            "| | |\n|---|---|\n| model | `{}` |\n| thinking | `{}` |\n| context | {} of {CONTEXT_WINDOW} tokens ({percent:.2} %) |\n\
            | cost | none (no model) |\n\nFour characters count as one token. `/long` fills the context \
            quickly, `/compact` empties it.",
            context.model, context.thinking_level, context.tokens
        ))
    }
}
