//! `/error`: a provider that keeps failing. `/error retry`: a provider that fails once and then recovers.

use super::{Block, CallResult, Scene, SceneContext, Step};

const OVERLOADED: &str = r#"529: {"message":"Overloaded, simulated by the demo","type":"overloaded_error"}"#;

pub(super) struct ErrorScene {
    recovers: bool,
    attempts: usize,
}

impl ErrorScene {
    pub(super) fn new(arguments: &str) -> Self {
        Self { recovers: arguments.starts_with("retry"), attempts: 0 }
    }
}

impl Scene for ErrorScene {
    fn next(&mut self, _context: &SceneContext, _results: &[CallResult]) -> Step {
        self.attempts += 1;
        match (self.recovers, self.attempts) {
            (false, _) => Step::Fail { blocks: Vec::new(), error: OVERLOADED.to_owned() },
            (true, 1) => Step::Fail {
                blocks: vec![
                    Block::Thinking("This will not end well.".to_owned()),
                    Block::Text("This reply breaks off in the mid".to_owned()),
                ],
                error: "terminated".to_owned(),
            },
            (true, _) => Step::say(
                "The connection was lost in the middle of a sentence; the second attempt succeeded. The broken \
                reply stays visible, but is no longer part of the context.\n\nWith plain `/error`, the provider keeps \
                failing until the retries are used up.",
            ),
        }
    }
}
