//! `/compact`: a reply, and after it the conversation is compacted.

use super::{Block, CallResult, Reply, Scene, Setting, Step};

pub(super) struct Compact;

impl Compact {
    pub(super) fn new(_arguments: &str) -> Self {
        Self
    }
}

impl Scene for Compact {
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
